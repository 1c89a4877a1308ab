"""A small network learns from a large one's odds what labels alone do not tell it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor, nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.losses import tempered_cross_entropy
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Distillation, Trainer

COVERS = ("D7", "D1")
KEYWORDS = "dark knowledge, soft targets, teacher and student, temperature, tempered softmax, feature distillation, hints, FitNets, knowledge distillation, compression"
MISSING = 3  # the digit that no student is shown


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    teacher_hidden: tuple[int, ...] = (256, 256)
    student_hidden: int = 24
    teacher_epochs: int = 30
    epochs: int = 150
    temperature: float = 4.0
    temperatures: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0, 16.0)
    repeats: int = 3


QUICK = Settings(
    teacher_hidden=(128, 128), teacher_epochs=20, epochs=80, temperatures=(1.0, 16.0), repeats=2
)


def build(sizes: tuple[int, ...], seed: int, dropout: float = 0.0) -> MLP:
    with seeded(seed):
        return MLP(sizes, dropout=dropout)


class Hinted(nn.Module):
    """A student with a linear map from its hidden layer to the teacher's, which learns with it.

    Args:
        student: With one hidden layer.
        width: Of the teacher's last hidden layer.
    """

    def __init__(self, student: MLP, width: int) -> None:
        super().__init__()
        self.student, self.bridge = student, nn.Linear(student.sizes[-2], width)

    def forward(self, x: Tensor) -> Tensor:
        return self.student(x)


def hints(teacher: MLP, temperature: float, weight: float = 0.5) -> Callable[[nn.Module, tuple[Tensor, ...]], Tensor]:  # fmt: skip
    r"""The objective :math:`E_T(g, f)+\beta\,\frac1K\lVert U h_g-h_f\rVert^2`: the teacher's odds and its last hidden layer.

    Args:
        teacher: :math:`f`, whose last hidden layer is :math:`h_f`.
        temperature: :math:`T`.
        weight: :math:`\beta`.
    """

    def objective(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        assert isinstance(model, Hinted)
        with torch.no_grad():
            wanted, odds = teacher[:-1](batch[0]), teacher(batch[0])
        hidden = model.student[:-1](batch[0])
        said = model.student[-1](hidden)
        return tempered_cross_entropy(said, odds, temperature) + weight * F.mse_loss(model.bridge(hidden), wanted)  # fmt: skip

    return objective


def train_student(teacher: MLP | None, train: Pair, settings: Settings, seed: int, temperature: float | None = None, *, features: bool = False) -> MLP:  # fmt: skip
    """Train a student on all digits but one, with the teacher's odds, its features too, or with labels."""
    student = build((64, settings.student_hidden, 10), seed)
    model: nn.Module = student
    objective = None
    T = temperature or settings.temperature
    if teacher is not None and features:
        model, objective = Hinted(student, settings.teacher_hidden[-1]), hints(teacher, T)
    elif teacher is not None:
        objective = Distillation(teacher, temperature=T, mix=1.0)
    X, y = train
    shown = y != MISSING
    Trainer(
        model,
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
        "student, from odds and features": [],
    }
    by_temperature = dict.fromkeys(settings.temperatures, 0.0)
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
        shown = train_student(teacher, train, settings, seed, features=True)
        rows["student, from odds and features"].append(accuracies(shown, test))
        for T in by_temperature:
            student = taught if settings.temperature == T else train_student(teacher, train, settings, seed, T)  # fmt: skip
            by_temperature[T] += accuracies(student, test)[0] / settings.repeats
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
    both = means["student, from odds and features"]
    report.claim("features teach it as well", both[0], "{} % with odds and features", at_least=50)
    report.claim(
        "and the other digits no worse", both[1] - odds[1], "percentage points", at_least=-1.5
    )
    cold, hot = settings.temperatures[0], settings.temperatures[-1]
    report.claim(f"warm odds teach more of the {MISSING} than odds at T = {cold:g}", max(by_temperature.values()) - by_temperature[cold], "percentage points", above=5)  # fmt: skip
    report.figure(
        "temperature",
        curve_panels([CurvePanel("What a student knows of a digit it never saw", "temperature", f"accuracy on the digit {MISSING}, %", {"from odds": (list(by_temperature), list(by_temperature.values()))}, is_log_x=True)], width=5.8),
        caption=f"Students of {settings.student_hidden} units by the temperature of their teacher's odds. Hot odds, T = {hot:g}, compare logits; cold ones hardly say more than the label.",
    )  # fmt: skip
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
