"""What translators of written dates share: encoded dates, how many are right, where the decoder looked."""

from dataclasses import dataclass

from torch import Tensor

from gradatim.data import Vocabulary, pad_sequences
from gradatim.experiments._dates import WrittenDate, write_dates
from gradatim.plots import alignment_maps
from gradatim.reports import Report

LENGTH = 11  # ten characters and the end
ISO_PARTS = ("year",) * 4 + (None,) + ("month",) * 2 + (None,) + ("day",) * 2


@dataclass(frozen=True)
class Dates:
    """Encoded dates and the words they came from."""

    written: list[WrittenDate]
    source: Tensor
    lengths: Tensor
    target: Tensor

    @property
    def tensors(self) -> tuple[Tensor, Tensor, Tensor]:
        return self.source, self.lengths, self.target


def encode(written: list[WrittenDate], source: Vocabulary, target: Vocabulary) -> Dates:
    tokens, lengths = pad_sequences([source.encode(date.text) for date in written])
    iso, _ = pad_sequences([target.encode(date.iso, end=True) for date in written])
    return Dates(written, tokens, lengths, iso)


def make_dates(
    train_dates: int, test_dates: int, seed: int
) -> tuple[Dates, Dates, tuple[int, int]]:
    """Dates to learn from, dates that are not among them, and the sizes of both vocabularies."""
    written = write_dates(train_dates + test_dates, seed)
    known = {date.text for date in written[:train_dates]}
    words = written[:train_dates], [d for d in written[train_dates:] if d.text not in known]
    source = Vocabulary.build(date.text for date in words[0])
    target = Vocabulary.build(date.iso for date in words[0])
    train, test = (encode(part, source, target) for part in words)
    return train, test, (len(source), len(target))


def share_exact(found: Tensor, target: Tensor) -> float:
    """Share of rows whose tokens, the end included, are all right."""
    width = min(found.shape[1], target.shape[1])
    same = (found[:, :width] == target[:, :width]).all(1)
    return same.float().mean().item() if found.shape[1] >= target.shape[1] else 0.0


def share_looking_right(weights: Tensor, test: Dates) -> float:
    """Share of digits whose largest weight, of ``(B, L, S)``, lies on the part of the source that holds them.

    An encoder may have moved what it read by one character, hence the neighbours count too.
    """
    place = weights.argmax(-1)  # (B, L)
    right = total = 0
    for row, date in zip(place.tolist(), test.written, strict=True):
        for k, part in enumerate(ISO_PARTS):
            if part is not None:
                right += part in date.parts[max(row[k] - 1, 0) : row[k] + 2]
                total += 1
    return right / total


def claim_exact(report: Report, name: str, exact: float, least: float) -> None:
    report.claim(name, exact, "{} right, to the last digit", at_least=least)


def claim_beam(report: Report, num_beams: int, gain: float) -> None:
    """``gain`` is the least that the beam adds to the log-probability of what greedy search finds."""
    report.claim(
        f"a beam of {num_beams} finds no less probable dates than greedy search", gain, above=-1e-3
    )


def one_per_style(dates: Dates) -> Dates:
    """Four dates in four orders of their parts."""
    first: dict[tuple[object, ...], int] = {}
    for row, date in enumerate(dates.written):
        order = (*dict.fromkeys(part for part in date.parts if part), date.text[0].isalpha())
        first.setdefault(order, row)
    rows = list(first.values())[:4]
    return Dates([dates.written[row] for row in rows], *(part[rows] for part in dates.tensors))


def draw_alignments(
    report: Report, name: str, weights: Tensor, dates: Dates, *, caption: str
) -> None:
    """Show where the decoder looked, ``weights`` of shape ``(B, L, S)``."""
    rows = zip(weights, dates.written, strict=True)
    maps = [(table.numpy(), date.iso, date.text) for table, date in rows]
    report.figure(name, alignment_maps(maps), caption=caption)
