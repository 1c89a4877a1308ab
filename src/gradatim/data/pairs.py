"""Pairs of sentences: read, sampled, and split so that no sentence stands on both sides."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gradatim.data import load
from gradatim.data.tables.builtin import builtin_names
from gradatim.errors import InvalidValue, Unavailable
from gradatim.files import check_regular

LEAST = 200  # pairs from which anything can be learned
LEAST_PART = 5  # different sentences of a part


class Pair(NamedTuple):
    """A sentence and its translation."""

    source: str
    target: str


class Question(NamedTuple):
    """A sentence and all translations that are known to be right."""

    source: str
    references: list[str]


class Parts(NamedTuple):
    """Pairs to learn from, to choose by, and questions to judge by."""

    train: list[Pair]
    validation: list[Pair]
    test: list[Question]


def read_pairs(source: "str | Path") -> list[Pair]:
    """Read all pairs of a file: a sentence, a tab, its translation; further columns are ignored.

    Args:
        source: A UTF-8 file, or a translation set of the catalogue.
    """
    if str(source) in builtin_names() and not Path(source).is_file():
        record = load(str(source))
        if record.task != "translation" or record.y is None:
            raise InvalidValue(f"fit: {source} must hold pairs of sentences. Try 'tatoeba-spa'.")
        return [Pair(str(x), str(y)) for x, y in zip(record.X, record.y, strict=True)]
    pairs = [_pair(source, number, cells) for number, cells in read_lines(source)]
    if len(pairs) < LEAST:
        raise InvalidValue(
            f"{source}: must hold at least {LEAST} pairs of sentences, got {len(pairs)}."
        )
    return pairs


def _pair(source: "str | Path", number: int, cells: list[str]) -> Pair:
    if len(cells) < 2 or not (cells[0].strip() and cells[1].strip()):
        raise InvalidValue(
            f"{source}: line {number} must hold a sentence, a tab and its translation, "
            f"got {cells[0][:40]!r}."
        )
    return Pair(cells[0].strip(), cells[1].strip())


def read_lines(source: "str | Path") -> Iterator[tuple[int, list[str]]]:
    """Yield number and cells of every line that is not blank."""
    check_regular(Path(source))
    try:
        with open(source, encoding="utf-8-sig") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, line.rstrip("\n").split("\t")
    except UnicodeDecodeError as error:
        raise InvalidValue(
            f"{source}: must be a text in UTF-8, and is not ({error.reason}). Save it as UTF-8."
        ) from None
    except OSError as error:
        raise Unavailable(f"{source}: cannot be read: {error.strerror or error}.") from error


def split_pairs(pairs: list[Pair], share: float, seed: int) -> Parts:
    """Set the pairs of a random ``share`` of the source sentences aside: half to choose by, half to judge.

    Args:
        pairs: All pairs.
        share: Part of the different source sentences that is held out.
        seed: Fixes the draw.
    """
    sources = list(dict.fromkeys(pair.source for pair in pairs))
    order = np.random.default_rng(seed).permutation(len(sources))
    held = int(len(sources) * share / 2)
    if min(held, len(sources) - 2 * held) < LEAST_PART:
        raise InvalidValue(
            f"fit: the pairs must give at least {LEAST_PART} different sentences to learn from, to choose by and to judge by, "
            f"got {len(sources) - 2 * held}, {held} and {held}. Take more pairs, or another --test."
        )
    test = {sources[k]: [] for k in order[:held]}  # type: dict[str, list[str]]
    validation = {sources[k] for k in order[held : 2 * held]}
    for pair in pairs:
        if pair.source in test:
            test[pair.source].append(pair.target)
    return Parts(
        [p for p in pairs if p.source not in test and p.source not in validation],
        [p for p in pairs if p.source in validation],
        [Question(source, references) for source, references in test.items()],
    )
