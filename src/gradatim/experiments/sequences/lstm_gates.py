"""An LSTM taught to hold a bit opens its input gate to write and shuts its forget gate to erase."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gradatim.instruments import GateHistory, record_gates
from gradatim.nn import Recurrent
from gradatim.plots.style import PALETTE, SEQUENTIAL, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F3",)
KEYWORDS = "long short-term memory, input gate, forget gate, output gate, candidate cell state, memory cell, constant error carousel CEC"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    starts: int = 5
    sequences: int = 2000
    length: int = 40
    epochs: int = 30


QUICK = Settings(starts=6, sequences=1000, length=25)


class Register(nn.Module):
    """An LSTM of one unit and a linear read-out at every step."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = Recurrent("lstm", 2, 1)
        self.readout = nn.Linear(1, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.readout(self.rnn(x)[0])  # (B, T, 1)


def draw_register(count: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw bits ±1 with a flag; the target is the bit that had the last flag, 0 before the first.

    Returns:
        Inputs ``(count, length, 2)``, bit and flag, and targets ``(count, length, 1)``.
    """
    value = 2.0 * (torch.rand(count, length, generator=generator) < 0.5) - 1
    flag = (torch.rand(count, length, generator=generator) < 0.15).float()
    held, targets = torch.zeros(count), []
    for t in range(length):
        held = torch.where(flag[:, t] > 0, value[:, t], held)
        targets.append(held)
    return torch.stack([value, flag], -1), torch.stack(targets, 1)[..., None]


def train(settings: Settings, data: tuple[Tensor, Tensor]) -> Register:
    """Train from several starts, since one unit may get stuck, and keep what fits the training data best."""
    runs = []
    for start in range(settings.seed, settings.seed + settings.starts):
        with seeded(start):
            model = Register()
        history = Trainer(
            model, "mse", lr=0.03, schedule="cosine", epochs=settings.epochs, batch_size=50, clip_norm=1.0,
            seed=start, progress=False,
        ).fit(data)  # fmt: skip
        runs.append((history["train_loss"][-1], model.eval()))
    return min(runs, key=lambda run: run[0])[1]


def draw_gates(report: Report, model: Register, x: Tensor, y: Tensor, gates: GateHistory) -> None:
    row = int((y[:, 1:] != y[:, :-1]).sum((1, 2)).argmax())  # where most happens
    with torch.inference_mode():
        answer = model(x)[row, :, 0]
    report.figure(
        "gates",
        gates_over_time(
            {"input": x[row, :, 0], "to be held": y[row, :, 0], "network": answer},
            {
                f"{name} gate": getattr(gates, name)[row, :, 0]
                for name in ("input", "forget", "output")
            },
            [int(t) for t in x[row, :, 1].nonzero()],
            mark_label="flag",
        ),
        caption="A bit is to be held from one flag to the next. At a flag the input gate opens and the "
        "forget gate shuts; between flags it is the other way round, and what comes in is ignored.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="The gates of an LSTM",
        summary="Nobody tells the gates what to do. Trained to hold a bit until the next flag, a single unit "
        "becomes a register: write, keep, show.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    data = draw_register(settings.sequences, settings.length, generator)
    x, y = draw_register(200, settings.length, generator)
    model = train(settings, data)
    with torch.inference_mode():
        error = (model(x) - y).square().mean().item() / y.var().item()
    gates = record_gates(model.rnn, x)
    is_flag = x[..., 1] > 0
    change = (gates.cell[:, 1:, 0] - gates.cell[:, :-1, 0]).abs()
    drift = (change[~is_flag[:, 1:]].mean() / change[is_flag[:, 1:]].mean()).item()
    write, keep = (
        {name: getattr(gates, name)[..., 0][where].mean().item() for name in ("input", "forget")}
        for where in (is_flag, ~is_flag)
    )
    report.claim("unexplained variance of the held bit", error, at_most=0.05)
    report.claim("input gate at a flag", write["input"], at_least=0.5)
    report.claim("the input gate opens at a flag, by", write["input"] - keep["input"], at_least=0.3)
    report.claim("forget gate at a flag", write["forget"], "{}: erase", at_most=0.35)
    report.claim("forget gate between flags", keep["forget"], "{}: keep", at_least=0.8)
    report.claim("change of the cell between flags against at flags", drift, at_most=0.1)
    report.text(
        "There are two ways to keep a bit. About half of the starts that succeed shut the input gate between flags "
        "and hold the forget gate near 1; the others leave it ajar and write back what they let fade."
    )
    draw_gates(report, model, x, y, gates)
    return report


def gates_over_time(
    signals: Mapping[str, ArrayLike],
    gates: Mapping[str, ArrayLike],
    marks: Sequence[int] = (),
    *,
    mark_label: str = "write",
) -> Figure:
    """Draw what goes in and out of a cell, and under it its gates, against time.

    Args:
        signals: Curves of the upper panel by label, each ``(T,)``.
        gates: Rows of the lower panel by label, each ``(T,)`` with values in [0, 1].
        marks: Times of events, drawn as vertical lines.
        mark_label: What happens then.

    Example:
        >>> figure = gates_over_time({"x": [0, 1, 0]}, {"input": [0, 1, 0], "forget": [1, 0, 1]}, [1])
        >>> [label.get_text() for label in figure.axes[1].get_yticklabels()]
        ['input', 'forget']
    """
    figure, (upper, lower) = new_figure(2, 1, width=8.0, height=4.6, sharex=True)
    for place, (label, curve) in enumerate(signals.items()):
        upper.step(np.arange(len(np.asarray(curve))), np.asarray(curve), where="mid", label=label, color=PALETTE[place])  # fmt: skip
    for panel in (upper, lower):
        for number, mark in enumerate(marks):
            panel.axvline(
                mark, color=PALETTE[4], linewidth=1.2, alpha=0.8, zorder=1,
                label=mark_label if number == 0 and panel is upper else None,
            )  # fmt: skip
    upper.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=5, borderaxespad=0.2)
    upper.set_ylabel("value")
    rows = np.stack([np.asarray(row, dtype=float) for row in gates.values()])
    image = lower.imshow(
        rows, aspect="auto", cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, interpolation="nearest"
    )
    lower.set_yticks(range(len(rows)), list(gates))
    lower.grid(False)
    lower.set_xlabel("time step")
    figure.colorbar(image, ax=lower, label="opening", pad=0.01)
    return figure
