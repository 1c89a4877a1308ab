"""A convolutional network remembers all that its field covers, nothing beyond, and learns it in fewer steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.data import adding_task, copy_task, load
from gradatim.models import SequenceClassifier
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("F7", "F4")
KEYWORDS = "temporal convolutional network, dilated causal convolution, receptive field"
SYMBOLS, TAPS = 8, 3
LONG = 100  # steps that an LSTM does not learn to bridge in so short a training
CHANCE = {"copying": 1 / SYMBOLS, "adding": 0.19, "digits": 0.1}
SHORT, TCN, LSTM = "TCN, one block too few", "TCN", "LSTM"


@dataclass(frozen=True)
class Settings:
    """``lag``: distracting steps of copying; a field of blocks ends one step before the symbol if it is 4 · 2ᵏ − 4."""

    seed: int = 0
    lag: int = 124
    length: int = 100
    hidden_dim: int = 24
    steps: int = 600
    batch_size: int = 32
    digit_epochs: int = 20
    lr: float = 4e-3


QUICK = Settings(lag=28, length=40, hidden_dim=16, steps=260, digit_epochs=5, lr=0.01)


class Task(NamedTuple):
    """Sequences with their answers, to learn from and to judge by.

    Args:
        train: Sequences and answers.
        test: Others.
        output_dim: Classes, or 1 for a number.
        epochs: Passes over the sequences.
    """

    train: tuple[Tensor, Tensor]
    test: tuple[Tensor, Tensor]
    output_dim: int
    epochs: int = 1

    @property
    def steps(self) -> int:
        """Steps of a sequence."""
        return self.train[0].shape[1]


class Outcome(NamedTuple):
    """What a network makes of a task.

    Args:
        accuracy: Share of right answers to new sequences; a sum is right within 0.1.
        parameters: Its weights.
        seconds: What it took to learn.
        kept: Numbers that it must keep to read one step more of a stream.
    """

    accuracy: float
    parameters: int
    seconds: float
    kept: int


def make_tasks(settings: Settings) -> dict[str, Task]:
    """Copying and adding, every sequence new; and digits of 8 × 8 pixels, read pixel by pixel."""
    generator = torch.Generator().manual_seed(settings.seed)
    count = settings.steps * settings.batch_size
    copying = [copy_task(n, settings.lag, SYMBOLS, generator) for n in (count, 1000)]
    adding = [adding_task(n, settings.length, generator) for n in (count, 1000)]
    digits = load("digits")
    order = torch.randperm(len(digits.X), generator=generator)
    x, y = torch.as_tensor(digits.X)[order, :, None], torch.as_tensor(digits.y)[order]
    return {
        "copying": Task(copying[0], copying[1], SYMBOLS),
        "adding": Task(adding[0], adding[1], 1),
        "digits": Task((x[400:], y[400:]), (x[:400], y[:400]), 10, settings.digit_epochs),
    }


def blocks_for(steps: int) -> int:
    """The fewest blocks whose field covers ``steps``.

    >>> blocks_for(61), blocks_for(62)
    (4, 5)
    """
    blocks = 1
    while 1 + 2 * (TAPS - 1) * (2**blocks - 1) < steps:
        blocks += 1
    return blocks


def build(name: str, task: Task, hidden_dim: int) -> SequenceClassifier:
    """Build a network; the LSTM has about as many weights as the convolutions that see everything."""
    sizes = (task.train[0].shape[2], task.output_dim)
    blocks = blocks_for(task.steps)
    if name != LSTM:
        num_blocks = blocks - 1 if name == SHORT else blocks
        return SequenceClassifier(
            *sizes, hidden_dim=hidden_dim, encoder="tcn", num_blocks=num_blocks
        )
    width = round((2 * TAPS * blocks * hidden_dim**2 / 4) ** 0.5)
    return SequenceClassifier(*sizes, hidden_dim=width, cell="lstm")


def numbers_kept(model: SequenceClassifier) -> int:
    """Numbers between two steps of a stream: the state of an LSTM, or the past that convolutions look back at."""
    if model.encoder.tcn is None:
        return 2 * model.hidden_dim
    inputs = [model.input_dim] + [model.hidden_dim] * (2 * model.num_blocks - 1)
    reach = [(TAPS - 1) * 2 ** (layer // 2) for layer in range(2 * model.num_blocks)]
    return sum(width * past for width, past in zip(inputs, reach, strict=True))


def judge(name: str, task: Task, settings: Settings) -> Outcome:
    """Train a network on a task, and ask it about new sequences."""
    with seeded(settings.seed):
        model = build(name, task, settings.hidden_dim)
    trainer = Trainer(
        model, "mse" if task.output_dim == 1 else "cross_entropy", lr=settings.lr, epochs=task.epochs,
        batch_size=settings.batch_size, clip_norm=1.0, seed=settings.seed, progress=False,
    )  # fmt: skip
    start = perf_counter()
    trainer.fit(task.train)
    seconds = perf_counter() - start
    output, answer = trainer.predict(task.test[0]), task.test[1]
    is_right = (output - answer).abs() < 0.1 if task.output_dim == 1 else output.argmax(1) == answer
    count = sum(parameter.numel() for parameter in model.parameters())
    return Outcome(is_right.float().mean().item(), count, seconds, numbers_kept(model))


def run(settings: Settings) -> Report:
    tasks = make_tasks(settings)
    found = {
        task: {name: judge(name, tasks[task], settings) for name in (SHORT, TCN, LSTM)}
        for task in tasks
    }
    copying = found["copying"]
    report = Report(
        title="Convolutions beside a recurrent network",
        summary=f"A symbol {settings.lag + 1} steps back: a TCN whose field reaches it names it {100 * copying[TCN].accuracy:.0f} times in "
        f"a hundred, one whose field ends a step before {100 * copying[SHORT].accuracy:.0f} times, an LSTM "
        f"{100 * copying[LSTM].accuracy:.0f} times after the same training.",
    )
    _claim(report, found, settings)
    for task, outcomes in found.items():
        report.table(
            f"{task}: sequences of {tasks[task].steps} steps",
            columns=["network", "accuracy", "weights", "seconds to learn", "numbers kept"],
            rows=[[name, o.accuracy, o.parameters, round(o.seconds, 1), o.kept] for name, o in outcomes.items()],
        )  # fmt: skip
    scores = {task: {name: o.accuracy for name, o in row.items()} for task, row in found.items()}
    report.figure(
        "accuracy-by-task",
        accuracy_by_task(scores, chance=CHANCE),
        caption="Share of right answers to new sequences.",
    )
    report.text(
        "In a stream an LSTM keeps its state and nothing else; a TCN keeps all of the past that its taps reach, the more the "
        "further they look. It computes all steps of a sequence at once, two convolutions a block, where an LSTM waits for every step; "
        "which of them takes fewer seconds depends on the machine."
    )
    return report


def _claim(report: Report, found: Mapping[str, Mapping[str, Outcome]], settings: Settings) -> None:
    copying, adding, digits = (found[task] for task in ("copying", "adding", "digits"))
    report.claim(
        f"copying over {settings.lag + 1} steps, TCN", copying[TCN].accuracy, at_least=0.95
    )
    report.claim(
        "copying, TCN whose field ends one step before the symbol",
        copying[SHORT].accuracy, "{}: chance is 0.125", at_most=0.2,
    )  # fmt: skip
    if settings.lag >= LONG:
        report.claim(
            "copying, LSTM after the same training", copying[LSTM].accuracy, "{}", at_most=0.6
        )
    report.claim(
        "adding, the TCN is right more often than the LSTM by",
        adding[TCN].accuracy - adding[LSTM].accuracy, "{}", at_least=0.1,
    )  # fmt: skip
    report.claim("digits pixel by pixel, TCN", digits[TCN].accuracy, at_least=0.85)
    report.claim(
        "digits pixel by pixel, the TCN gains over the LSTM",
        digits[TCN].accuracy - digits[LSTM].accuracy, "{}", at_least=0.02,
    )  # fmt: skip
    report.claim(
        "a stream costs the LSTM less memory",
        copying[TCN].kept / copying[LSTM].kept, "numbers kept, TCN to LSTM", at_least=10,
    )  # fmt: skip


def accuracy_by_task(
    scores: Mapping[str, Mapping[str, float]], *, chance: Mapping[str, float]
) -> Figure:
    """Draw the accuracy of every network on every task.

    Args:
        scores: Accuracy by network, by task.
        chance: What guessing gives, by task.

    Example:
        >>> figure = accuracy_by_task({"copy": {"a": 1.0, "b": 0.5}}, chance={"copy": 0.1})
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['copy']
    """
    figure, panel = new_figure(width=6.4, height=3.8)
    models = list(next(iter(scores.values())))
    places = np.arange(len(scores))
    for k, model in enumerate(models):
        shift = 0.16 * (k - (len(models) - 1) / 2)
        panel.plot(
            places + shift, [row[model] for row in scores.values()], linestyle="", label=model,
            marker=MARKERS[k % len(MARKERS)], color=PALETTE[k % len(PALETTE)], markersize=8,
        )  # fmt: skip
    for place, task in zip(places, scores, strict=True):
        panel.plot([place - 0.35, place + 0.35], [chance[task]] * 2, color=MUTED, linestyle=":")
    panel.annotate("chance", (places[-1] - 0.35, chance[list(scores)[-1]]), xytext=(0, 4), textcoords="offset points", fontsize=8, color=MUTED)  # fmt: skip
    panel.set_xticks(places, list(scores))
    panel.set(ylim=(-0.03, 1.05), ylabel="accuracy", xlim=(-0.5, len(scores) - 0.5))
    figure.legend(loc="outside lower center", ncols=3, frameon=False, fontsize=9)
    return figure
