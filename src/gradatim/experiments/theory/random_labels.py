"""A network fits random labels as completely as true ones: what it can fit does not tell how it generalizes."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.experiments._digits import Pair, split_digits
from gradatim.models import MLP
from gradatim.plots.style import MARKERS, MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import vc_gap
from gradatim.training import Trainer

COVERS = ("I4",)
KEYWORDS = "memorization, shuffled pixels, Zhang, rethinking generalization, capacity"
CHANCE, BATCH = 0.9, 50  # error of a guess among ten classes; rows of a step


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 1000
    width: int = 512
    epochs: int = 100
    corruption: tuple[float, ...] = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


QUICK = Settings(rows=500, width=256, epochs=60, corruption=(0.0, 0.5, 1.0))


class Fit(NamedTuple):
    """How a training went: its errors after every epoch, steps until it was 0, and the error on test rows."""

    train_errors: list[float]
    steps: float
    test_error: float


def corrupt(y: Tensor, share: float, generator: torch.Generator) -> Tensor:
    """Labels of which a share was drawn anew, each class as likely: a tenth of these stays as it was."""
    drawn = torch.randint(10, y.shape, generator=generator)
    return torch.where(torch.rand(y.shape, generator=generator) < share, drawn, y)


def tasks(settings: Settings, train: Pair, test: Pair) -> dict[str, tuple[Pair, Pair]]:
    """Training and test rows by name; test labels are always true, test pixels are moved as the training's are."""
    (X, y), g = train, torch.Generator().manual_seed(settings.seed)
    found = {f"{100 * share:.0f} % random labels": ((X, corrupt(y, share, g)), test) for share in settings.corruption}  # fmt: skip
    order = torch.randperm(X.shape[1], generator=g)
    found["shuffled pixels"] = (X[:, order], y), (test[0][:, order], test[1])

    def own_orders(rows: Tensor) -> Tensor:
        return rows.gather(1, torch.rand(rows.shape, generator=g).argsort(1))

    found["random pixels"] = (own_orders(X), y), (own_orders(test[0]), test[1])

    def noise(rows: Tensor) -> Tensor:
        return X.mean() + X.std() * torch.randn(rows.shape, generator=g)

    found["Gaussian pixels"] = (noise(X), y), (noise(test[0]), test[1])
    return found


def fit(train: Pair, test: Pair, settings: Settings) -> Fit:
    with seeded(settings.seed):
        model = MLP((train[0].shape[1], settings.width, 10))
    trainer = Trainer(model, lr=3e-3, epochs=settings.epochs, batch_size=BATCH, metrics=["accuracy"], seed=settings.seed, progress=False)  # fmt: skip
    errors = [1 - accuracy for accuracy in trainer.fit(train, train)["validation_accuracy"]]
    first = next((k for k, error in enumerate(errors, 1) if error == 0), None)
    with torch.inference_mode():
        missed = float((model(test[0]).argmax(1) != test[1]).float().mean())
    return Fit(errors, float("inf") if first is None else first * -(-len(train[0]) // BATCH), missed)  # fmt: skip


def fit_coins(train: Pair, settings: Settings) -> float:
    """Mean product of random signs and the signs that a network answers after learning them: one draw of what Rademacher
    complexity is the mean of, and at most it."""
    signs = torch.randint(2, (len(train[0]),), generator=torch.Generator().manual_seed(settings.seed + 1))  # fmt: skip
    return 1 - 2 * fit((train[0], signs), (train[0], signs), settings).test_error


def run(settings: Settings) -> Report:
    report = Report(
        title="Random labels",
        summary="The same network fits true, wrong and random labels, and pixels without any order, without a mistake; only the error on "
        "new digits tells them apart. What a family can fit says nothing about it.",
    )
    (X, y), test = split_digits(settings.seed, is_flat=True)
    mean, std = X.mean(), X.std()
    train, test = ((X[: settings.rows] - mean) / std, y[: settings.rows]), ((test[0] - mean) / std, test[1])  # fmt: skip
    fits = {name: fit(*pair, settings) for name, pair in tasks(settings, train, test).items()}
    check(report, fits, settings)
    coins = fit_coins(train, settings)
    report.claim("and signs by coin, so that Rademacher complexity is near 1", coins, "mean product", at_least=0.99)  # fmt: skip
    n = len(train[0])
    report.claim("a family that makes all labelings gets no promise from the VC inequality", vc_gap(2.0**n, n), "gap", above=1)  # fmt: skip
    report.table(
        f"A network of {settings.width} hidden units, {n} digits",
        columns=["task", "training error", "steps until it is 0", "test error"],
        rows=[[name, f.train_errors[-1], f.steps, f.test_error] for name, f in fits.items()],
    )
    caption = "Left: the training error of all tasks reaches 0. Right: the error on new digits, whose labels are true; dotted, a guess."  # fmt: skip
    report.figure("labels", draw_figure(fits, settings), caption=caption)
    return report


def check(report: Report, fits: dict[str, Fit], settings: Settings) -> None:
    worst = max(min(f.train_errors) for f in fits.values())
    report.claim("every task is fitted without a mistake", worst, "largest training error", equals=0.0)  # fmt: skip
    by_share = [fits[f"{100 * share:.0f} % random labels"] for share in settings.corruption]
    true, random = by_share[0], by_share[-1]
    report.claim(
        "random labels take longer",
        random.steps / true.steps,
        "times the steps",
        above=1.5,
        below=100,
    )
    tests = [f.test_error for f in by_share]
    report.claim("with more random labels the test error rises", str([round(e, 3) for e in tests]), "rising", holds=sorted(tests) == tests)  # fmt: skip
    report.claim("with true labels new digits are read", true.test_error, "test error", below=0.08)
    for name in ("100 % random labels", "Gaussian pixels"):
        report.claim(f"{name}: no better than a guess", fits[name].test_error, "test error", near=(CHANCE, 0.06))  # fmt: skip
    gap = fits["shuffled pixels"].test_error - true.test_error
    report.claim("one order of pixels is as good as another for dense layers", gap, "difference of test errors", near=(0.0, 0.03))  # fmt: skip
    report.claim("an order of its own for every image leaves the count of dark pixels only", fits["random pixels"].test_error, "test error", above=0.6)  # fmt: skip


def draw_figure(fits: dict[str, Fit], settings: Settings) -> Figure:
    figure, (left, right) = new_figure(columns=2, width=10.0, height=4.2)
    names = [f"{100 * share:.0f} % random labels" for share in settings.corruption]
    shown = {names[0]: "true labels", names[-1]: "random labels", "shuffled pixels": "", "random pixels": "", "Gaussian pixels": ""}  # fmt: skip
    last = 1
    for k, (name, label) in enumerate(shown.items()):
        errors = fits[name].train_errors
        epochs = range(1, len(errors) + 1)
        left.plot(epochs, [100 * e for e in errors], color=PALETTE[k], linestyle="--" if name == "shuffled pixels" else "-", label=label or name)  # fmt: skip
        last = max(last, next((j for j, e in enumerate(errors, 1) if e == 0), 1))
    left.set(title="Training error", xlabel="epoch", ylabel="per cent", xlim=(1, min(1.3 * last, settings.epochs)))  # fmt: skip
    left.legend(fontsize=8)
    shares = [100 * share for share in settings.corruption]
    right.plot(shares, [100 * fits[name].test_error for name in names], marker="o", color=PALETTE[1], label="labels drawn anew")  # fmt: skip
    for k, name in enumerate(("shuffled pixels", "random pixels", "Gaussian pixels")):
        right.plot([0], [100 * fits[name].test_error], MARKERS[k + 1], color=PALETTE[k + 2], label=name, clip_on=False)  # fmt: skip
    right.axhline(100 * CHANCE, color=MUTED, linestyle=":", linewidth=1.2)
    right.set(title="Test error", xlabel="per cent of random labels", ylabel="per cent", ylim=(0, 100))  # fmt: skip
    right.legend(fontsize=8, loc="lower right")
    return figure
