"""A learned initial state pays in the first steps of a sequence, where the start says something."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gradatim.nn import Recurrent
from gradatim.plots.style import PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F3",)
KEYWORDS = "initial hidden state h0, state propagation, conditioning"
CELLS = ("gru", "lstm")


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    trials: int = 4
    sequences: int = 512
    length: int = 60
    hidden_dim: int = 8
    epochs: int = 15


QUICK = Settings(trials=2, sequences=384, length=30, epochs=12)


class Tracker(nn.Module):
    def __init__(self, cell: str, hidden_dim: int, learn_initial_state: bool) -> None:
        super().__init__()
        self.rnn = Recurrent(cell, 1, hidden_dim, learn_initial_state=learn_initial_state)
        self.readout = nn.Linear(hidden_dim, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.readout(self.rnn(x)[0])  # (B, T, 1)


def draw_averages(count: int, length: int, start: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Draw noise and its moving average, which begins at ``start``: m_t = 0.9 m_{t−1} + 0.1 x_t."""
    x = torch.randn(count, length, 1, generator=generator)
    average, targets = torch.full((count, 1), start), []
    for x_t in x.unbind(1):
        average = 0.9 * average + 0.1 * x_t
        targets.append(average)
    return x, torch.stack(targets, 1)


def error_of(cell: str, is_learned: bool, start: float, settings: Settings) -> Tensor:
    """Return the mean squared error at every step, averaged over trials, shape ``(T,)``."""
    errors = []
    for trial in range(settings.trials):
        generator = torch.Generator().manual_seed(settings.seed + trial)
        train, test = (draw_averages(settings.sequences, settings.length, start, generator) for _ in range(2))  # fmt: skip
        with seeded(settings.seed + trial):
            model = Tracker(cell, settings.hidden_dim, is_learned)
        Trainer(
            model, "mse", lr=0.01, epochs=settings.epochs, batch_size=64, seed=settings.seed + trial,
            progress=False,
        ).fit(train)  # fmt: skip
        with torch.inference_mode():
            errors.append((model(test[0]) - test[1]).square().mean((0, 2)))
    return torch.stack(errors).mean(0)


def run(settings: Settings) -> Report:
    report = Report(
        title="A learned initial state",
        summary="Learning the state before the first step costs a vector per layer and removes most of the "
        "error of the first steps, if sequences start alike; where the start says nothing it changes nothing.",
    )
    curves, rows = dict[str, Tensor](), []
    for cell in CELLS:
        zero, learned = (error_of(cell, is_learned, 1.0, settings) for is_learned in (False, True))
        curves |= {f"{cell.upper()}, zero": zero, f"{cell.upper()}, learned": learned}
        first, whole, last = ((zero[k].mean() / learned[k].mean()).item() for k in (slice(3), slice(None), slice(-10, None)))  # fmt: skip
        rows.append([cell.upper(), first, whole, last])
        report.claim(
            f"{cell.upper()}: error of the first three steps, zero against learned",
            first,
            at_least=3,
        )
        report.claim(f"{cell.upper()}: error of all steps", whole, "{} times", at_least=1.2)
        report.claim(f"{cell.upper()}: the gain is in the beginning", last / first, below=1)
    zero, learned = (error_of("gru", is_learned, 0.0, settings) for is_learned in (False, True))
    nothing = (zero.mean() / learned.mean()).item()
    report.claim(
        "GRU where all averages start at 0", nothing, "{}: no difference", at_least=0.5, at_most=2
    )
    for cell, parts in (("lstm", 2), ("gru", 1)):
        more = sum(p.numel() for p in Recurrent(cell, 1, 64, learn_initial_state=True).initial)
        report.claim(f"parameters it adds to {cell.upper()} of width 64", more, equals=parts * 64)
    report.table(
        "Error with a zero state, divided by that with a learned one",
        columns=["cell", "first 3 steps", "all steps", "last 10 steps"],
        rows=rows,
    )
    report.figure(
        "error-by-step",
        error_by_step(curves),
        caption="Every sequence's average starts at 1. From a zero state a network needs some steps to find "
        "that out; a learned one knows.",
    )
    report.text(
        "Every sequence starts from the same memory in both cases: a learned state is still one state for "
        "all. Only a state computed from the sequence itself, as a decoder gets it, would differ."
    )
    return report


def error_by_step(errors: Mapping[str, ArrayLike]) -> Figure:
    """Draw the error of every step of a sequence, on a logarithmic scale, pairs of lines in one colour.

    Args:
        errors: Errors ``(T,)`` by label; labels with the same words before a comma share a colour.

    Example:
        >>> len(error_by_step({"GRU, zero": [1.0, 0.1], "GRU, learned": [0.2, 0.1]}).axes[0].lines)
        2
    """
    figure, panel = new_figure(width=7.0, height=3.9)
    families = list(dict.fromkeys(label.partition(",")[0] for label in errors))
    for place, (label, curve) in enumerate(errors.items()):
        values = np.asarray(curve, dtype=float)
        family = families.index(label.partition(",")[0])
        is_first = place == [name.partition(",")[0] for name in errors].index(families[family])
        panel.plot(
            np.arange(1, len(values) + 1), values, "--" if is_first else "-",
            color=PALETTE[family % len(PALETTE)], label=label,
        )  # fmt: skip
    panel.set(yscale="log", xlabel="time step", ylabel="mean squared error")
    panel.legend()
    return figure
