"""Dates in words become ISO dates: attention looks at the right part of the source, and learns faster."""

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.data import Vocabulary, pad_sequences
from gradatim.experiments._dates import WrittenDate, write_dates
from gradatim.models import Seq2Seq
from gradatim.plots import alignment_maps, learning_curves
from gradatim.reports import Report
from gradatim.training import History, TeacherForcing, Trainer

LENGTH = 11  # ten characters and the end
ISO_PARTS = ("year",) * 4 + (None,) + ("month",) * 2 + (None,) + ("day",) * 2
NAMES = {"additive": "Bahdanau attention", "dot": "dot attention", "none": "no attention"}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    train_dates: int = 4_000
    test_dates: int = 1_000
    epochs: int = 6
    hidden_dim: int = 64
    lr: float = 3e-3
    beam_width: int = 4
    exact: float = 0.97
    attentions: tuple[str, ...] = ("additive", "dot", "none")


QUICK = Settings(
    train_dates=1_500, test_dates=200, epochs=5, hidden_dim=48, lr=1.5e-2, exact=0.9,
    attentions=("additive", "none"),
)  # fmt: skip


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


@dataclass(frozen=True)
class Outcome:
    """A trained translator and its score on dates it has not seen."""

    model: Seq2Seq
    history: History
    exact: float
    seconds: float


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


def fit(attention: str, train: Dates, test: Dates, sizes: tuple[int, int], s: Settings) -> Outcome:
    torch.manual_seed(s.seed)
    model = Seq2Seq(*sizes, hidden_dim=s.hidden_dim, attention=attention)
    trainer = Trainer(
        model, step=TeacherForcing(), lr=s.lr, schedule="cosine", epochs=s.epochs, batch_size=64,
        clip_norm=1.0, seed=s.seed, progress=False,
    )  # fmt: skip
    began = time.process_time()
    history = trainer.fit(train.tensors, test.tensors)
    seconds = time.process_time() - began
    found = model.translate(test.source, test.lengths, max_length=LENGTH)
    return Outcome(model, history, share_exact(found.tokens[:, 0], test.target), seconds)


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


def run(settings: Settings) -> Report:
    train, test, sizes = make_dates(settings.train_dates, settings.test_dates, settings.seed)
    outcomes = {kind: fit(kind, train, test, sizes, settings) for kind in settings.attentions}
    best = outcomes["additive"].model
    greedy = best.translate(test.source, test.lengths, max_length=LENGTH)
    beam = best.translate(
        test.source, test.lengths, beam_width=settings.beam_width, max_length=LENGTH
    )
    gain = (beam.log_probs[:, 0] - greedy.log_probs[:, 0]).min().item()
    looking = share_looking_right(best.align(*test.tensors), test)
    untrained = Seq2Seq(*sizes, hidden_dim=settings.hidden_dim)
    chance = share_looking_right(untrained.align(*test.tensors), test)
    report = Report(
        title="Dates in words become ISO dates",
        summary=f"With attention {100 * outcomes['additive'].exact:.1f} % of {len(test.written)} new dates are "
        f"right to the last digit, without it {100 * outcomes['none'].exact:.1f} %.",
    )
    report.table(
        f"After {settings.epochs} epochs on {len(train.written):,} dates",
        columns=["decoder", "dates right, %", "validation loss", "parameters", "CPU seconds"],
        rows=[
            [
                NAMES[kind],
                100 * o.exact,
                o.history["validation_loss"][-1],
                sum(p.numel() for p in o.model.parameters()),
                o.seconds,
            ]
            for kind, o in outcomes.items()
        ],
    )
    _claim(report, outcomes, settings, gain=gain, looking=looking, chance=chance)
    _draw(report, outcomes, test)
    return report


def _claim(
    report: Report, outcomes: dict[str, Outcome], settings: Settings, *, gain: float, looking: float, chance: float
) -> None:  # fmt: skip
    exact = {kind: outcome.exact for kind, outcome in outcomes.items()}
    loss = {kind: outcome.history["validation_loss"][-1] for kind, outcome in outcomes.items()}
    ratio = loss["none"] / loss["additive"]
    report.claim(
        "attention translates dates it has not seen",
        expected=f"at least {100 * settings.exact:.0f} % right, to the last digit",
        measured=exact["additive"],
        holds=exact["additive"] >= settings.exact,
    )
    report.claim(
        "without attention the same training reaches less",
        expected="fewer dates right, and ten times the validation loss",
        measured=f"{exact['none']:.3f} right, {ratio:.0f} times the loss",
        holds=exact["none"] < exact["additive"] and ratio >= 10,
    )
    report.claim(
        "attention looks at the right part",
        expected="90 % of digits from the year, month or day of the source, and far more than untrained",
        measured=f"{looking:.2f}, untrained {chance:.2f}",
        holds=looking >= 0.9 and looking > chance + 0.2,
    )
    report.claim(
        f"a beam of {settings.beam_width} finds no less probable dates than greedy search",
        expected="log-probability never lower by more than rounding",
        measured=gain,
        holds=gain > -1e-3,
    )


def _draw(report: Report, outcomes: dict[str, Outcome], test: Dates) -> None:
    model = outcomes["additive"].model
    chosen = one_per_style(test)
    weights = model.align(test.source[chosen], test.lengths[chosen], test.target[chosen])
    report.figure(
        "attention",
        alignment_maps(
            [
                (table.numpy(), test.written[row].iso, test.written[row].text)
                for table, row in zip(weights, chosen, strict=True)
            ]
        ),
        caption="Each row is a digit of the result, each column a letter of the source; dark where the "
        "decoder looked. Nobody told it which part is the month.",
    )
    report.figure(
        "learning-curves",
        learning_curves({NAMES[kind]: outcome.history for kind, outcome in outcomes.items()}),
        caption="Without attention the whole date must pass through one vector.",
    )


def one_per_style(test: Dates) -> list[int]:
    """Four dates in four orders of their parts."""
    first: dict[tuple[object, ...], int] = {}
    for row, date in enumerate(test.written):
        order = (*dict.fromkeys(part for part in date.parts if part), date.text[0].isalpha())
        first.setdefault(order, row)
    return list(first.values())[:4]
