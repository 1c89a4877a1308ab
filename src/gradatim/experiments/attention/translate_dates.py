"""A Transformer turns dates in words into ISO dates, and its cross-attention shows how."""

import time
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from gradatim.data.vocabulary import PAD
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
from gradatim.instruments import cross_attention
from gradatim.losses import token_cross_entropy
from gradatim.models import Transformer, shift_right
from gradatim.optim.schedules import warm_up
from gradatim.plots import learning_curves
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import History, Trainer

COVERS = ("G2", "G1")
KEYWORDS = "encoder-decoder Transformer, machine translation, cross-attention, masked attention"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    train_dates: int = 6_000
    test_dates: int = 1_000
    epochs: int = 16
    dim: int = 64
    num_layers: int = 2
    num_heads: int = 4
    lr: float = 2e-3
    num_beams: int = 4
    exact: float = 0.99


QUICK = Settings(
    train_dates=2_000, test_dates=300, epochs=13, dim=48, num_layers=1, num_heads=2, lr=6e-3, exact=0.85
)  # fmt: skip


def build(sizes: tuple[int, int], settings: Settings) -> Transformer:
    with seeded(settings.seed):
        return Transformer(
            *sizes, 32, dim=settings.dim, num_layers=settings.num_layers, num_heads=settings.num_heads
        )  # fmt: skip


def as_triple(dates: Dates) -> tuple[Tensor, Tensor, Tensor]:
    """Source, what the decoder is given, what it should say."""
    return dates.source, shift_right(dates.target), dates.target


def fit(model: Transformer, train: Dates, test: Dates, settings: Settings) -> History:
    trainer = Trainer(
        model, partial(token_cross_entropy, padding=PAD), lr=settings.lr, schedule=warm_up(epochs=1.0),
        epochs=settings.epochs, batch_size=32, clip_norm=1.0, seed=settings.seed, progress=False,
    )  # fmt: skip
    return trainer.fit(as_triple(train), as_triple(test))


def run(settings: Settings) -> Report:
    train, test, sizes = make_dates(settings.train_dates, settings.test_dates, settings.seed)
    model = build(sizes, settings)
    blind = share_looking_right(cross_attention(model, test.source, test.target), test)
    start = time.process_time()
    history = fit(model, train, test, settings)
    spent = time.process_time() - start
    greedy = translate(model, test.source, max_length=LENGTH)
    beam = translate(model, test.source, num_beams=settings.num_beams, max_length=LENGTH)
    exact, searched = (share_exact(found.tokens[:, 0], test.target) for found in (greedy, beam))
    looking = share_looking_right(cross_attention(model, test.source, test.target), test)
    report = Report(
        title="A Transformer reads dates",
        summary=f"{100 * exact:.1f} % of {len(test.written)} new dates are right to the last digit after "
        f"{spent:.0f} core seconds of training.",
    )
    gain = (beam.log_probs[:, 0] - greedy.log_probs[:, 0]).min().item()
    claim_exact(report, "dates it has not seen are translated", exact, settings.exact)
    claim_beam(report, settings.num_beams, gain)
    report.claim(
        "cross-attention looks at the right part",
        expected="at least 90 % of digits from the year, month or day of the source, and 20 points more than untrained",
        measured=f"{looking:.2f}, untrained {blind:.2f}",
        holds=looking >= 0.9 and looking >= blind + 0.2,
    )
    report.table(
        f"On {len(test.written)} new dates",
        columns=["search", "dates right, %", "mean log-probability"],
        rows=[
            ["greedy", 100 * exact, greedy.log_probs[:, 0].mean().item()],
            [f"beam of {settings.num_beams}", 100 * searched, beam.log_probs[:, 0].mean().item()],
        ],
    )
    _draw(report, model, test, history)
    return report


def _draw(report: Report, model: Transformer, test: Dates, history: History) -> None:
    shown = one_per_style(test)
    draw_alignments(
        report, "cross-attention", cross_attention(model, shown.source, shown.target), shown,
        caption="Each row is a character of the result, each column one of the source; dark where the decoder looked, "
        "on average over layers and heads.",
    )  # fmt: skip
    report.figure(
        "learning-curves",
        learning_curves({"": history}),
        caption="Cross-entropy of a character in training (dashed) and on new dates (solid).",
    )
