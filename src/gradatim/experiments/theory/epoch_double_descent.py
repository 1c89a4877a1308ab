"""Parts that are learned at different speeds make the test error fall, rise and fall again during training."""

from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure

from gradatim.experiments._digits import split_digits
from gradatim.models import MLP
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("I4", "D3")
KEYWORDS = "training time, early stopping, features learned at different speeds"
RATE = 0.1  # η, in units of one over the fast features' variance


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 100
    steps: int = 10_000
    draws: int = 1000
    train_digits: int = 1000
    width: int = 512
    epochs: int = 300


QUICK = Settings(draws=300, train_digits=400, width=256, epochs=100)


class Group(NamedTuple):
    """Features of one size.

    Args:
        size: How many.
        scale: s, their standard deviation.
        signal: Σ s²θ², the part of the target's variance that they carry.
    """

    size: int
    scale: float
    signal: float


FAST, SLOW = Group(40, 1.0, 0.6), Group(10, 0.1, 1.0)


def group_risk(group: Group, steps: np.ndarray, rate: float, variance: float) -> np.ndarray:
    r"""Expected excess risk of a group's weights after so many steps of gradient descent from 0.

    .. math:: R(t) = S(1-\eta s^2)^{2t} + V\bigl(1-(1-\eta s^2)^t\bigr)^2, \qquad V = \sigma^2 d/n

    where signal is forgotten less and noise is learned more: a valley at :math:`1-(1-\eta s^2)^t=S/(S+V)`.

    Args:
        group: :math:`d`, :math:`s` and :math:`S`.
        steps: :math:`t`.
        rate: :math:`\eta`.
        variance: :math:`\sigma^2/n`, of the noise over the rows.

    Reference:
        Heckel and Yilmaz, Early Stopping in Deep Networks: Double Descent and How to Eliminate It, 2021, theorem 1.
    """
    left = (1 - rate * group.scale**2) ** steps
    return group.signal * left**2 + variance * group.size * (1 - left) ** 2


def simulate(settings: Settings, steps: np.ndarray, noise: float) -> np.ndarray:
    """Mean excess risk over draws of the noise, by descent itself on rows whose features are orthogonal."""
    rng = np.random.default_rng(settings.seed)
    scales = np.repeat([FAST.scale, SLOW.scale], [FAST.size, SLOW.size])
    q, _ = np.linalg.qr(rng.normal(size=(settings.rows, len(scales))))
    X = np.sqrt(settings.rows) * q * scales  # XᵀX/n = diag(s²)
    theta = np.concatenate([np.full(g.size, np.sqrt(g.signal / g.size) / g.scale) for g in (FAST, SLOW)])  # fmt: skip
    y = X @ theta + noise * rng.normal(size=(settings.draws, settings.rows))
    hessian, target = X.T @ X / settings.rows, y @ X / settings.rows
    w, risks = np.zeros((settings.draws, len(scales))), []
    for step in range(int(steps[-1]) + 1):
        if step in steps:
            risks.append(float((((w - theta) * scales) ** 2).sum(1).mean()))
        w -= RATE * (w @ hessian - target)
    return np.array(risks)


def turns(curve: np.ndarray) -> list[str]:
    """Which way a smooth curve goes, in order: moves of more than a hundredth of its range."""
    signs = np.sign(np.diff(curve))
    corners = [0, *(np.flatnonzero(signs[1:] != signs[:-1]) + 1), len(curve) - 1]
    moves = [move for move in np.diff(curve[corners]) if abs(move) > 0.01 * np.ptp(curve)]
    return [word for word, _ in groupby("falls" if move < 0 else "rises" for move in moves)]


def claim_theory(report: Report, settings: Settings) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    steps = np.unique(np.geomspace(1, settings.steps, 200).astype(int))
    steps = np.concatenate([[0], steps])
    variance = 1.0 / settings.rows
    parts = {"fast features": group_risk(FAST, steps, RATE, variance), "slow features": group_risk(SLOW, steps, RATE, variance)}  # fmt: skip
    both = parts["fast features"] + parts["slow features"]
    measured = simulate(settings, steps, 1.0)
    report.claim("descent does what the formula says", float(np.abs(measured / both - 1).max()), "largest relative difference", below=0.08)  # fmt: skip
    report.claim("the risk of both groups", ", ".join(turns(both)), equals="falls, rises, falls")
    report.claim("as measured", ", ".join(turns(measured)), equals="falls, rises, falls")
    report.claim("the risk of the fast group alone", ", ".join(turns(parts["fast features"])), equals="falls, rises")  # fmt: skip
    quiet = sum(group_risk(group, steps, RATE, 0.0) for group in (FAST, SLOW))
    report.claim("without noise", ", ".join(turns(np.asarray(quiet))), equals="falls")
    own = group_risk(FAST, steps, RATE * SLOW.scale**2, variance) + group_risk(SLOW, steps, RATE, variance)  # fmt: skip
    report.claim("with a step of its own for each group", ", ".join(turns(own)), "one valley", holds=turns(own) in (["falls"], ["falls", "rises"]))  # fmt: skip
    report.claim("which is deeper than any of one step", float(own.min() / both.min()), "ratio of the smallest risks", below=1)  # fmt: skip
    return steps, {**parts, "both": both, "both, measured": measured, "own steps": own}


def train_network(settings: Settings) -> tuple[list[float], float]:
    """Test errors after every epoch, and the training error at the end, on digits of which a fifth is mislabelled."""
    (X, y), (X_test, y_test) = split_digits(settings.seed, is_flat=True)
    g = torch.Generator().manual_seed(settings.seed)
    X, y = X[: settings.train_digits], y[: settings.train_digits].clone()
    wrong = torch.rand(len(y), generator=g) < 0.2
    y[wrong] = (y[wrong] + torch.randint(1, 10, (int(wrong.sum()),), generator=g)) % 10
    with seeded(settings.seed):
        model = MLP((64, settings.width, 10))
    common = {"lr": 3e-3, "batch_size": 50, "seed": settings.seed, "progress": False}
    trainer = Trainer(model, epochs=settings.epochs, metrics=["accuracy"], **common)  # type: ignore[arg-type]
    history = trainer.fit((X, y), (X_test, y_test))
    with torch.inference_mode():
        missed = float((model(X).argmax(1) != y).float().mean())
    return [1 - a for a in history["validation_accuracy"]], missed


def claim_network(report: Report, settings: Settings) -> list[float]:
    errors, missed = train_network(settings)
    best = int(np.argmin(errors))
    peak = best + int(np.argmax(errors[best:]))
    report.claim("a network learns the wrong labels too", missed, "training error", below=0.05)
    report.claim("its test error rises after its best epoch", errors[peak] - errors[best], "rise", above=0.03)  # fmt: skip
    report.claim("stopping early keeps the best", errors[best] / errors[-1], "times the error at the end", below=0.9)  # fmt: skip
    fallen = errors[peak] - errors[-1]
    rows = [["best", best + 1, errors[best]], ["worst after it", peak + 1, errors[peak]], ["end", len(errors), errors[-1]]]  # fmt: skip
    report.table("A network on digits, a fifth mislabelled: test error", columns=["", "epoch", "test error"], rows=rows)  # fmt: skip
    report.text(
        f"From its worst epoch to the end the network's test error fell by {100 * fallen:.1f} points of {100 * errors[peak]:.1f}. A second "
        "descent of networks has been reported of larger ones and many more epochs (Nakkiran et al., 2020); none is claimed here."
    )  # fmt: skip
    return errors


def run(settings: Settings) -> Report:
    report = Report(
        title="Double descent over epochs",
        summary="Each group of features has a best time to stop, after which it learns noise. Where one learns slowly, the sum of both risks falls, "
        "rises and falls again; a step for each group removes that and ends lower.",
    )
    steps, curves = claim_theory(report, settings)
    errors = claim_network(report, settings)
    caption = "Left: excess risk of gradient descent on 40 fast and 10 slow features (lines: formula, dots: measured); green, each with a step of its own. Right: a network on digits with a fifth of the labels wrong."  # fmt: skip
    report.figure("epochs", draw_figure(steps, curves, errors), caption=caption)
    return report


def draw_figure(steps: np.ndarray, curves: dict[str, np.ndarray], errors: list[float]) -> Figure:
    figure, (left, right) = new_figure(columns=2, width=10.0, height=4.2)
    looks = {"both": (PALETTE[0], "-", 2.2), "own steps": (PALETTE[2], "-", 1.8), "fast features": (MUTED, "--", 1.2), "slow features": (MUTED, ":", 1.4)}  # fmt: skip
    for name, (colour, style, width) in looks.items():
        left.semilogx(steps[1:], curves[name][1:], color=colour, linestyle=style, linewidth=width, label=name)  # fmt: skip
    left.semilogx(steps[1::8], curves["both, measured"][1::8], "o", color=PALETTE[0], markersize=4, label="_")  # fmt: skip
    left.set(title="Two groups of features", xlabel="step", ylabel="excess risk", ylim=(0, 2.3))
    left.legend(fontsize=8, ncols=2, loc="upper center")
    right.semilogx(range(1, len(errors) + 1), [100 * error for error in errors], color=PALETTE[1])
    right.set(title="A network, a fifth of the labels wrong", xlabel="epoch", ylabel="test error, per cent", ylim=(0, None))  # fmt: skip
    return figure
