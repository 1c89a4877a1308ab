"""Without a lowest curvature descent is as slow as 1/T; acceleration makes it 1/T²."""

from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from gradatim import data
from gradatim.instruments import (
    DescentPath,
    VectorObjective,
    chord_excess,
    convex_bound,
    descend,
    descend_accelerated,
    network_objective,
)
from gradatim.linear import rippled_bowl
from gradatim.losses import build_loss, cross_entropy
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.theory import log_log_slope

COVERS = ("C2", "C4")
KEYWORDS = "convex function, smoothness, 1/T rate, sublinear convergence, Nesterov accelerated gradient, lower bound, convexity test, chord, Jensen"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    dim: int = 200
    steps: int = 10_000
    segments: int = 2000


QUICK = Settings(dim=80, steps=2000, segments=400)


def flat_valley(settings: Settings) -> tuple[VectorObjective, Tensor]:
    """½ Σ λᵢwᵢ² with curvatures from 1 down to almost nothing, turned at random, and a start with all parts alike."""
    generator = torch.Generator().manual_seed(settings.seed)
    noise = torch.randn(settings.dim, settings.dim, generator=generator, dtype=torch.float64)
    basis = torch.linalg.qr(noise).Q
    curvatures = torch.logspace(-9, 0, settings.dim, dtype=torch.float64)
    start = basis @ torch.ones(settings.dim, dtype=torch.float64)
    A = basis @ torch.diag(curvatures) @ basis.T
    return lambda w: w @ A @ w / 2, start


def worst_chain(dim: int) -> tuple[VectorObjective, Tensor, float]:
    """Nesterov's chain: after t steps no method that adds up gradients has moved more than t of its weights."""

    def function(w: Tensor) -> Tensor:
        ends = w[0].square() + w[-1].square()
        return ((w[1:] - w[:-1]).square().sum() + ends) / 8 - w[0] / 4

    minimum = -dim / (8 * (dim + 1))
    solution = 1 - torch.arange(1, dim + 1, dtype=torch.float64) / (dim + 1)
    return function, solution, minimum


def slope(path: DescentPath, steps: int, minimum: float = 0.0) -> float:
    """Of the logarithm of the gap, between a twentieth of the steps and all."""
    t = torch.logspace(0, 1.3, 12, dtype=torch.float64).mul(steps / 20).long().clamp(max=steps)
    return log_log_slope(t.tolist(), (path.values[t] - minimum).tolist())


def check_rates(report: Report, settings: Settings) -> None:
    function, start = flat_valley(settings)
    steps, distance = settings.steps, start.norm().item()
    paths = {"descent": descend(function, start, lr=1.0, steps=steps), "accelerated": descend_accelerated(function, start, lr=1.0, steps=steps)}  # fmt: skip
    bounds = {name: convex_bound(distance=distance, smoothness=1.0, steps=steps, is_accelerated=name == "accelerated") for name in paths}  # fmt: skip
    for name, words, power in (("descent", "L‖θ₀ − θ*‖²/2T", -1.0), ("accelerated", "2L‖θ₀ − θ*‖²/(T + 1)²", -2.0)):  # fmt: skip
        worst = (paths[name].values[1:] / bounds[name]).max().item()
        report.claim(f"{name}: the gap keeps the bound {words}", worst, "largest share of the bound", at_most=1.0)  # fmt: skip
        report.claim(f"{name}: the gap falls with this power of the steps", slope(paths[name], steps), near=(power, 0.2))  # fmt: skip
    t = torch.arange(1, steps + 1)
    keep = torch.logspace(0, torch.log10(torch.tensor(float(steps))).item(), 80).long().unique().clamp(max=steps) - 1  # fmt: skip
    report.figure(
        "rates",
        curve_panels(
            [
                CurvePanel(
                    "A valley without a lowest curvature", "step", "h(θ) − h*",
                    {name: (t[keep].numpy(), path.values[1:][keep].numpy()) for name, path in paths.items()},
                    {f"bound, {name}": (t[keep].numpy(), bound[keep].numpy()) for name, bound in bounds.items()},
                    is_log_x=True, is_log_y=True,
                )
            ],
            width=6.4,
        ),
        caption="Curvatures from 1 to 10⁻⁹: no exponential rate is in sight. Straight lines of slopes −1 and −2.",
    )  # fmt: skip


def check_limit(report: Report, settings: Settings) -> None:
    """No method that goes along gradients does better than 1/T² on the chain."""
    shares = []
    for steps in range(2, settings.dim // 2, max(settings.dim // 20, 1)):
        function, solution, minimum = worst_chain(2 * steps + 1)
        path = descend_accelerated(function, torch.zeros_like(solution), lr=1.0, steps=steps)
        limit = 3 * solution.square().sum().item() / (32 * (steps + 1) ** 2)
        shares.append((path.values[-1].item() - minimum) / limit)
    report.claim("Nesterov's chain of 2T + 1 weights: acceleration does not pass the limit 3L‖θ*‖²/32(T + 1)² of all such methods", min(shares), "least share of the limit", at_least=1.0)  # fmt: skip
    moved = (path.points[2] != 0).sum().item()
    report.claim("after two steps as many weights of the chain have moved", moved, equals=2)


def check_chords(report: Report, settings: Settings) -> None:
    """Which objectives can be refuted by a chord."""
    digits = data.load("digits")
    X, y = torch.as_tensor(digits.X)[:200].double(), torch.as_tensor(digits.y)[:200]
    sign = torch.where(y < 5, -1.0, 1.0).double()
    perceptron = build_loss("perceptron")
    with seeded(settings.seed):
        linear, network = MLP((64, 10)).double(), MLP((64, 6, 10)).double()
    generator = torch.Generator().manual_seed(settings.seed)
    cases: dict[str, tuple[VectorObjective, int, bool]] = {
        "logistic regression": (*_objective(linear, X, y), True),
        "perceptron loss": (lambda w: perceptron(X @ w, sign), 64, True),
        "rippled bowl, A = 0.1": (partial(rippled_bowl, amplitude=0.1), 2, True),
        "rippled bowl, A = 0.6": (partial(rippled_bowl, amplitude=0.6), 2, False),
        "network with a hidden layer": (*_objective(network, X, y), False),
    }
    rows = []
    for name, (function, dim, is_convex) in cases.items():
        a, b = 2 * torch.randn(2, settings.segments, dim, generator=generator, dtype=torch.float64)
        share = (chord_excess(function, a, b) > 1e-9).double().mean().item()
        rows.append([name, share])
        words = "no chord refutes that it is convex" if is_convex else "chords show that it is not convex"  # fmt: skip
        report.claim(f"{name}: {words}", share, "share of segments that rise above their chord", at_most=0.0 if is_convex else None, above=None if is_convex else 0.0)  # fmt: skip
    report.table(f"{settings.segments:,} random segments", columns=["objective", "share above the chord"], rows=rows)  # fmt: skip


def _objective(model: MLP, X: Tensor, y: Tensor) -> tuple[VectorObjective, int]:
    function, theta = network_objective(model, cross_entropy, X, y)
    return function, len(theta)


def run(settings: Settings) -> Report:
    report = Report(
        title="Rates of convex functions",
        summary="Convexity and smoothness alone promise 1/T to gradient descent and 1/T² to Nesterov's acceleration, which no "
        "method along gradients can beat. One chord below the graph's surface refutes convexity; none proves it.",
    )
    check_rates(report, settings)
    check_limit(report, settings)
    check_chords(report, settings)
    return report
