"""A small network learns from a large one's odds what labels alone do not tell it."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.experiments._digits import Pair, split_digits
from gradatim.losses import tempered_cross_entropy
from gradatim.models import MLP
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Distillation, Trainer

COVERS = ("D7", "D1")
KEYWORDS = "dark knowledge, soft targets, teacher and student, temperature, tempered softmax"
MISSING = 3  # the digit that no student is shown


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    teacher_hidden: tuple[int, ...] = (256, 256)
    student_hidden: int = 24
    teacher_epochs: int = 30
    epochs: int = 150
    temperature: float = 4.0
    repeats: int = 3


QUICK = Settings(teacher_hidden=(128, 128), teacher_epochs=20, epochs=100)


def build(sizes: tuple[int, ...], seed: int, dropout: float = 0.0) -> MLP:
    with seeded(seed):
        return MLP(sizes, dropout=dropout)


def train_student(teacher: MLP | None, train: Pair, settings: Settings, seed: int) -> MLP:
    """Train a student on all digits but one, with the teacher's odds or with labels."""
    student = build((64, settings.student_hidden, 10), seed)
    objective = None
    if teacher is not None:
        objective = Distillation(teacher, temperature=settings.temperature, mix=1.0)
    X, y = train
    shown = y != MISSING
    Trainer(
        student,
        lr=3e-3,
        schedule="cosine",
        epochs=settings.epochs,
        batch_size=64,
        seed=seed,
        objective=objective,
        progress=False,
    ).fit((X[shown], y[shown]))
    return student


@torch.inference_mode()
def accuracies(model: MLP, test: Pair) -> tuple[float, float]:
    """Share of right answers on the missing digit, and on the others, in per cent."""
    right = model.eval()(test[0]).argmax(1) == test[1]
    missing = test[1] == MISSING
    return 100 * right[missing].float().mean().item(), 100 * right[~missing].float().mean().item()


def claim_temperature(report: Report, settings: Settings) -> None:
    """With the factor T² the gradient keeps its size; hot, it is that of least squares on logits."""
    generator = torch.Generator().manual_seed(settings.seed)
    g, f = torch.randn(2, 50, 10, generator=generator, dtype=torch.float64)
    g.requires_grad_()
    (hot,) = torch.autograd.grad(tempered_cross_entropy(g, f, 1000.0), g)
    centred = (g - f).detach() - (g - f).detach().mean(1, keepdim=True)
    gap = ((hot - centred / g.numel()).norm() / hot.norm()).item()
    report.claim("hot distillation is least squares on logits", gap, "{} at T = 1000", below=0.01)


def run(settings: Settings) -> Report:
    report = Report(
        title="Distillation",
        summary=f"Students never see a {MISSING}. Labels leave them ignorant of it; the teacher's odds on "
        "other digits teach most of them what it looks like.",
    )
    rows: dict[str, list[tuple[float, float]]] = {
        "teacher": [],
        "student, from labels": [],
        "student, from odds": [],
    }
    for seed in range(settings.seed, settings.seed + settings.repeats):
        train, test = split_digits(seed, is_flat=True)
        teacher = build((64, *settings.teacher_hidden, 10), seed, dropout=0.3)
        Trainer(
            teacher, epochs=settings.teacher_epochs, batch_size=64, seed=seed, progress=False
        ).fit(train)
        rows["teacher"].append(accuracies(teacher, test))
        rows["student, from labels"].append(
            accuracies(train_student(None, train, settings, seed), test)
        )
        taught = train_student(teacher, train, settings, seed)
        rows["student, from odds"].append(accuracies(taught, test))
    means = {label: torch.tensor(values).mean(0).tolist() for label, values in rows.items()}
    labels, odds = means["student, from labels"], means["student, from odds"]
    report.claim(f"labels alone teach no {MISSING}", labels[0], "accuracy on it {} %", equals=0)
    report.claim(
        f"the teacher's odds teach it without a single {MISSING}", odds[0], "{} %", at_least=50
    )
    report.claim(
        "the other digits are learned as well as from labels",
        expected="accuracy at most 2 percentage points lower",
        measured=odds[1] - labels[1],
        holds=odds[1] >= labels[1] - 2,
    )
    claim_temperature(report, settings)
    report.table(
        "Test accuracy in per cent",
        columns=["model", f"on {MISSING}", "on the other digits"],
        rows=[[label, *values] for label, values in means.items()],
    )
    draw(report, teacher, test, settings.temperature, means)
    return report


@torch.inference_mode()
def draw(
    report: Report, teacher: MLP, test: Pair, temperature: float, means: dict[str, list[float]]
) -> None:
    """Show the odds of the image of another digit, surely known, most like the missing one."""
    logits = teacher.eval()(test[0])
    sure, guess = logits.softmax(1).max(1)
    candidates = (test[1] != MISSING) & (guess == test[1]) & (sure > 0.9)
    likeness = torch.where(candidates, logits.softmax(1)[:, MISSING], -1.0)
    place = int(likeness.argmax())
    odds = {f"T = {t:g}": (logits[place] / t).softmax(0) for t in (1.0, temperature)}
    report.figure(
        "distillation",
        tempered_odds(
            test[0][place].reshape(8, 8),
            odds,
            {label: values[0] for label, values in means.items()},
            accuracy_label=f"accuracy on the digit {MISSING}, %",
        ),
        caption=f"A {int(test[1][place])} that reminds the teacher of a {MISSING}. Temperature brings the "
        f"resemblance forward; from such hints students recognize a digit they never saw.",
    )


def tempered_odds(
    image: ArrayLike,
    odds: Mapping[str, ArrayLike],
    accuracies: Mapping[str, float],
    *,
    accuracy_label: str,
) -> Figure:
    """Draw an image, a teacher's odds for it at several temperatures, and what students made of them.

    Args:
        image: Shape ``(H, W)``.
        odds: Class probabilities by label.
        accuracies: Accuracy in per cent by learner.
        accuracy_label: What the accuracy is of.

    Example:
        >>> figure = tempered_odds([[0, 1]], {"T = 1": [0.9, 0.1]}, {"labels": 0.0}, accuracy_label="%")
    """
    figure, (left, middle, right) = new_figure(columns=3, width=11.0, height=3.4)
    left.imshow(np.asarray(image), cmap="gray_r")
    left.set_axis_off()
    left.set_title("The input")
    width = 0.8 / len(odds)
    for place, (label, values) in enumerate(odds.items()):
        classes = np.arange(len(np.asarray(values)))
        shift = (place - (len(odds) - 1) / 2) * width
        middle.bar(classes + shift, np.asarray(values), width, color=PALETTE[place], label=label)
        middle.set_xticks(classes)
    middle.set(title="The teacher's odds", xlabel="class")
    middle.legend()
    names = list(accuracies)
    bars = right.barh(names, [accuracies[name] for name in names], color=PALETTE[2], height=0.55)
    right.bar_label(bars, fmt="%.0f", padding=3, color=INK, fontsize=9)
    right.set_xlim(0, 112)
    right.invert_yaxis()
    right.set(title="What was learned", xlabel=accuracy_label)
    return figure
