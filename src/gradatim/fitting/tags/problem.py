"""Sentences with a tag for every word, and those set aside for the test."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from gradatim.data.tagged import Layout, Tagged, cut_long
from gradatim.errors import InvalidValue, require
from gradatim.evaluation.splits import Split, make_folds, split_test
from gradatim.fitting.classes import check_test
from gradatim.fitting.tags.kind import TagOptions
from gradatim.wording import shorten

LONGEST_SENTENCE = 250  # words; a longer one is read in pieces
LEAST = 20  # sentences
FEWEST_DOCUMENTS = 10  # from which on documents are kept whole
MOST_TAGS = 1_000
OFTEN = 0.3  # different tags a word, from which on they cannot be tags


@dataclass
class TagProblem:
    """Sentences, tags and split.

    Args:
        name: Short name of the source.
        layout: How the source is written.
        labels: Tags in order of their codes.
        sentences: Words of each sentence.
        y: Tag codes of all words, one sentence after the other.
        starts: Where each sentence begins in ``y``, and the end of the last, shape ``(N + 1,)``.
        documents: Number of the document of each sentence.
        rows: Place of each sentence in the source, from 1.
        train: Sentences to learn from.
        test: Sentences that judge at the end.
        notes: What was done to the data, one sentence each.
    """

    things = "sentences"
    name: str
    layout: Layout
    labels: list[str]
    sentences: list[list[str]]
    y: np.ndarray
    starts: np.ndarray
    documents: np.ndarray
    rows: np.ndarray
    train: np.ndarray
    test: np.ndarray
    notes: list[str] = field(default_factory=list)

    @property
    def classes(self) -> int:
        """Number of tags."""
        return len(self.labels)

    @property
    def is_grouped(self) -> bool:
        """Whether there are enough documents to keep each of them on one side."""
        return has_documents(self.documents)

    @property
    def lengths(self) -> np.ndarray:
        """Words of each sentence."""
        return np.diff(self.starts)

    def contents(self) -> Iterator[bytes]:
        """Yield everything that training sees."""
        yield self.y.tobytes() + self.train.tobytes() + self.test.tobytes()
        for words in self.sentences:
            yield "\n".join(words).encode("utf-8", "surrogatepass") + b"\0"

    def folds(self, count: int, seed: int) -> list[Split]:
        """Split the training sentences, whole documents where there are some."""
        folds = make_folds(
            np.zeros(len(self.train), dtype=np.int64),
            count,
            np.random.default_rng([seed, 1]),
            groups=self.documents[self.train] if self.is_grouped else None,
        )
        return [(self.train[a], self.train[b]) for a, b in folds if len(a) and len(b)]

    def words_of(self, rows: np.ndarray) -> list[list[str]]:
        """The sentences ``rows``."""
        return [self.sentences[k] for k in rows.tolist()]

    def tokens(self, rows: np.ndarray) -> np.ndarray:
        """Places in ``y`` of the words of sentences."""
        return np.concatenate([np.arange(self.starts[k], self.starts[k + 1]) for k in rows.tolist()] or [np.zeros(0, np.int64)])  # fmt: skip


def has_documents(documents: np.ndarray) -> bool:
    """Whether there are enough documents for folds of whole ones."""
    return len(np.unique(documents)) >= FEWEST_DOCUMENTS


def prepare(found: Tagged, job: TagOptions, test: Tagged | None = None) -> TagProblem:
    """Number the tags, cut long sentences, and set the test sentences aside.

    Args:
        found: The sentences.
        job: What was asked for.
        test: Sentences of the user's own test.
    """
    _check_tags(found)
    require(len(found.words) >= LEAST, f"fit: {found.name} must hold at least {LEAST} sentences", len(found.words))  # fmt: skip
    labels = sorted({tag for tags in found.tags for tag in tags})
    notes = list(found.notes)
    words, tags, documents = found.words, found.tags, found.documents
    own = len(words)
    if test is not None:
        kept = _known_test(test, set(labels), notes)
        check_test(len(kept.words), "sentences")
        words, tags = words + kept.words, tags + kept.tags
        documents = documents + [-1 - d for d in kept.documents]
    pieces = np.array(cut_long(words, LONGEST_SENTENCE))
    if len(pieces) > len(words):
        count = len({n for n, a, b in pieces.tolist() if b - a < len(words[n])})
        notes.append(f"{_are(count, 'sentence')} longer than {LONGEST_SENTENCE} words and read in pieces.")  # fmt: skip
    code = {tag: k for k, tag in enumerate(labels)}
    sentences = [words[n][a:b] for n, a, b in pieces.tolist()]
    y = np.array([code[tag] for n, a, b in pieces.tolist() for tag in tags[n][a:b]])
    starts = np.concatenate([[0], np.cumsum([len(s) for s in sentences])])
    number = pieces[:, 0]
    groups = np.array(documents)
    train, held = _split(groups, own, test is not None, job)
    learned, judged = (np.flatnonzero(np.isin(number, part)) for part in (train, held))
    places = np.where(number < own, number + 1, number - own + 1)
    return TagProblem(found.name, found.layout, labels, sentences, y, starts, groups[number], places, learned, judged, notes)  # fmt: skip


def _split(documents: np.ndarray, own: int, has_test: bool, job: TagOptions) -> Split:
    """Sentences to learn from and to judge by, in order."""
    if has_test:
        return np.arange(own), np.arange(own, len(documents))
    assert isinstance(job.test, float)
    rng = np.random.default_rng([job.seed, 0])
    groups = documents if has_documents(documents) else None
    train, held = split_test(np.zeros(own, dtype=np.int64), job.test, rng, groups=groups)
    check_test(len(held), "sentences")
    return train, held


def _check_tags(found: Tagged) -> None:
    """Refuse what cannot be tags: one for all, or a new one for most words."""
    tags = {tag for own in found.tags for tag in own}
    words = sum(map(len, found.tags))
    if len(tags) < 2:
        shown = shorten(repr(next(iter(tags))), 40)
        raise InvalidValue(f"fit: {found.name} must hold at least two different tags, got only {shown}.")  # fmt: skip
    if len(tags) > MOST_TAGS or (len(tags) > 20 and len(tags) > OFTEN * words):
        shown = ", ".join(shorten(repr(tag), 20) for tag in sorted(tags)[:3])
        where = f"in column {found.layout.tag + 1}" if found.layout.columns else "behind the slashes"  # fmt: skip
        raise InvalidValue(
            f"fit: tags must repeat, got {len(tags):,} different ones {where} for {words:,} words, such as {shown}. "
            "Name the column of the tags with --tag-column."
        )


def _known_test(test: Tagged, labels: set[str], notes: list[str]) -> Tagged:
    """Test sentences whose tags all stand in the training part."""
    kept = [k for k, tags in enumerate(test.tags) if labels.issuperset(tags)]
    if len(kept) < len(test.tags):
        count = len(test.tags) - len(kept)
        notes.append(f"{count:,} test sentence{'s' if count > 1 else ''} with tags that no training sentence has {'are' if count > 1 else 'is'} left out.")  # fmt: skip
    return test.pick(kept)


def _are(count: int, thing: str) -> str:
    return f"1 {thing} is" if count == 1 else f"{count:,} {thing}s are"


def is_spans(labels: Sequence[str]) -> bool:
    """Whether tags mark spans: ``B-x`` begins one, ``I-x`` goes on, ``O`` is outside.

    Example:
        >>> is_spans(["B-PER", "I-PER", "O"]), is_spans(["nn", "O"])
        (True, False)
    """
    return "O" in labels and all(tag == "O" or tag[:2] in ("B-", "I-", "E-", "S-") for tag in labels) and len(labels) > 1  # fmt: skip
