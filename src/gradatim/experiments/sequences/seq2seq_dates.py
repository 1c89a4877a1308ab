"""Dates in words become ISO dates: attention looks at the right part of the source, and learns faster."""

import time
from dataclasses import dataclass

import torch

from gradatim.decoding import translate
from gradatim.experiments._date_translation import (
    LENGTH,
    Dates,
    claim_beam,
    claim_exact,
    draw_alignments,
    make_dates,
    one_per_style,
    share_exact,
    share_looking_right,
)
from gradatim.models import Seq2Seq
from gradatim.plots import learning_curves
from gradatim.reports import Report
from gradatim.training import History, TeacherForcing, Trainer

COVERS = ("F6", "G1")
KEYWORDS = "encoder-decoder, Bahdanau attention, teacher forcing, alignment, sequence to sequence, many-to-many problems"
NAMES = {"additive": "Bahdanau attention", "dot": "dot attention", "none": "no attention"}


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    train_dates: int = 4_000
    test_dates: int = 1_000
    epochs: int = 6
    hidden_dim: int = 64
    lr: float = 3e-3
    num_beams: int = 4
    exact: float = 0.97
    attentions: tuple[str, ...] = ("additive", "dot", "none")


QUICK = Settings(
    train_dates=1_500, test_dates=200, epochs=5, hidden_dim=48, lr=1.5e-2, exact=0.9,
    attentions=("additive", "none"),
)  # fmt: skip


@dataclass(frozen=True)
class Outcome:
    """A trained translator and its score on dates it has not seen."""

    model: Seq2Seq
    history: History
    exact: float
    seconds: float


def fit(attention: str, train: Dates, test: Dates, sizes: tuple[int, int], s: Settings) -> Outcome:
    torch.manual_seed(s.seed)
    model = Seq2Seq(*sizes, hidden_dim=s.hidden_dim, attention=attention)
    trainer = Trainer(
        model, objective=TeacherForcing(), lr=s.lr, schedule="cosine", epochs=s.epochs, batch_size=64,
        clip_norm=1.0, seed=s.seed, progress=False,
    )  # fmt: skip
    began = time.process_time()
    history = trainer.fit(train.tensors, test.tensors)
    seconds = time.process_time() - began
    found = translate(model, test.source, test.lengths, max_length=LENGTH)
    return Outcome(model, history, share_exact(found.tokens[:, 0], test.target), seconds)


def run(settings: Settings) -> Report:
    train, test, sizes = make_dates(settings.train_dates, settings.test_dates, settings.seed)
    outcomes = {kind: fit(kind, train, test, sizes, settings) for kind in settings.attentions}
    best = outcomes["additive"].model
    greedy = translate(best, test.source, test.lengths, max_length=LENGTH)
    beam = translate(
        best, test.source, test.lengths, num_beams=settings.num_beams, max_length=LENGTH
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
    claim_exact(
        report, "attention translates dates it has not seen", exact["additive"], settings.exact
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
    claim_beam(report, settings.num_beams, gain)


def _draw(report: Report, outcomes: dict[str, Outcome], test: Dates) -> None:
    shown = one_per_style(test)
    draw_alignments(
        report, "attention", outcomes["additive"].model.align(*shown.tensors), shown,
        caption="Each row is a digit of the result, each column a letter of the source; dark where the "
        "decoder looked. Nobody told it which part is the month.",
    )  # fmt: skip
    report.figure(
        "learning-curves",
        learning_curves({NAMES[kind]: outcome.history for kind, outcome in outcomes.items()}),
        caption="Without attention the whole date must pass through one vector.",
    )
