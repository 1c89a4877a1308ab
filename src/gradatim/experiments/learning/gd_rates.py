"""What smoothness promises about gradient descent, held against what it does."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from gradatim import data
from gradatim.instruments import (
    DescentPath,
    VectorObjective,
    descend,
    gradient_flow,
    lowest_curvature,
    multi_start,
    network_objective,
    pl_bound,
    pl_constant,
    smoothness,
    steps_to_critical_point,
    sufficient_decrease,
)
from gradatim.linear import rippled_bowl
from gradatim.losses import cross_entropy
from gradatim.models import MLP
from gradatim.nn import initialize
from gradatim.plots.optim import decay_curves
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report

COVERS = ("C4", "C2")
KEYWORDS = "convergence, smoothness constant, Polyak-Łojasiewicz PL inequality, sufficient decrease lemma, step size 1/L, gradient flow, core learning rule, Polyak-Lojasiewicz inequality"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    dim: int = 20
    mu: float = 0.05
    steps: int = 200
    samples: int = 300
    hidden_dim: int = 16
    network_steps: int = 60
    starts: int = 400


QUICK = Settings(samples=150, hidden_dim=8, network_steps=24, starts=200)


def random_quadratic(settings: Settings) -> tuple[VectorObjective, Tensor, Tensor]:
    """Return ½ wᵀAw with curvatures spaced logarithmically from μ to 1, the curvatures, and a start."""
    generator = torch.Generator().manual_seed(settings.seed)
    noise = torch.randn(settings.dim + 1, settings.dim, generator=generator, dtype=torch.float64)
    curvatures = torch.logspace(0, 1, settings.dim, base=settings.mu, dtype=torch.float64).flip(0)
    basis = torch.linalg.qr(noise[1:]).Q
    A = basis @ torch.diag(curvatures) @ basis.T
    start = noise[0]
    return lambda w: w @ A @ w / 2, curvatures, start


def check_curvatures(
    report: Report, function: VectorObjective, start: Tensor, mu: float, L: float
) -> None:
    found = {
        "L": (smoothness(function, start, tol=1e-12).value, L),
        "μ": (lowest_curvature(function, start, max_steps=4000, tol=1e-14).value, mu),
    }
    for symbol, (measured, exact) in found.items():
        report.claim(
            f"{symbol} by power iteration on Hessian-vector products",
            measured,
            near=(exact, 0.01 * exact),
        )


def check_quadratic(report: Report, settings: Settings) -> None:
    function, curvatures, start = random_quadratic(settings)
    mu, L = curvatures[0].item(), curvatures[-1].item()
    check_curvatures(report, function, start, mu, L)
    paths = {
        label: descend(function, start, lr=factor / L, steps=settings.steps)
        for label, factor in (
            ("η = 0.3/L", 0.3),
            ("η = 1/L", 1.0),
            ("η = 1.9/L", 1.9),
            ("η = 2.02/L", 2.02),
        )
    }
    path = paths["η = 1/L"]
    bound = pl_bound(gap=path.values[0].item(), mu=mu, smoothness=L, steps=settings.steps)
    check_rates(report, paths, bound, mu)
    check_critical_point(report, function, start, path, L)
    report.figure(
        "rates",
        decay_curves(
            {label: path.values for label, path in paths.items()},
            bounds={"": [], Formula(r"bound $(1-\mu/L)^T$ for η = 1/L"): bound},
            title=f"Gradient descent on a quadratic, μ = {mu:g}, L = {L:g}",
            ylabel="h(θ) − h*",
        ),
        caption="The bound is governed by the flattest direction. A longer step than 1/L may be faster; beyond 2/L the "
        "steepest direction explodes.",
    )


def check_rates(report: Report, paths: dict[str, DescentPath], bound: Tensor, mu: float) -> None:
    path = paths["η = 1/L"]
    gap = path.values[0].item()
    report.claim(
        "PL rate: h(θ_T) − h* ≤ (1 − μ/L)^T (h(θ_0) − h*) with η = 1/L",
        (path.values / bound).max().item(),
        at_most=1 + 1e-9,
    )
    report.claim(
        "PL constant seen on the way is at least the lowest curvature",
        pl_constant(path),
        at_least=mu * (1 - 1e-9),
    )
    safe, wild = paths["η = 1.9/L"].values, paths["η = 2.02/L"].values
    report.claim(
        "2/L is the edge: just below it descent converges, just above it diverges",
        expected="final value below and above the first",
        measured=f"{safe[-1] / gap:.2g} and {wild[-1] / gap:.2g}",
        holds=bool(safe[-1] < gap < wild[-1]),
    )


def check_critical_point(
    report: Report, function: VectorObjective, start: Tensor, path: DescentPath, L: float
) -> None:
    eps = 0.02 * path.gradient_norms[0].item()
    promised = steps_to_critical_point(smoothness=L, gap=path.values[0].item(), eps=eps)
    longer = descend(function, start, lr=1 / L, steps=min(promised, 5000))
    needed = int((longer.gradient_norms <= eps).nonzero()[0])
    report.claim(
        "a gradient below ε is met within T = 2L(h(θ_0) − h*)/ε² steps", needed, at_most=promised
    )


def check_flow(report: Report, settings: Settings) -> None:
    function, _, start = random_quadratic(settings)
    time = 4.0
    exact = gradient_flow(function, start, time=time, steps=200)[-1]
    errors = [
        (descend(function, start, lr=time / n, steps=n).points[-1] - exact).norm().item()
        for n in (40, 80)
    ]
    report.claim(
        "descent tends to the gradient flow, with an error in proportion to η",
        errors[0] / errors[1],
        near=(2, 0.1),
    )


def check_network(report: Report, settings: Settings) -> None:
    digits = data.load("digits")
    X = torch.as_tensor(digits.X)[: settings.samples].double()
    y = torch.as_tensor(digits.y)[: settings.samples]
    model = MLP((64, settings.hidden_dim, 10), activation="tanh")
    initialize(model, "xavier", generator=torch.Generator().manual_seed(settings.seed))
    function, theta = network_objective(model.double(), cross_entropy, X, y)
    curvatures, measured, guaranteed = [], [], []
    norms, first = [], function(theta).item()
    for _ in range(settings.network_steps):
        L = smoothness(function, theta, max_steps=60, tol=1e-4).value
        decrease = sufficient_decrease(function, theta, lr=1 / L, smoothness=L)
        step = descend(function, theta, lr=1 / L, steps=1)
        theta = step.points[1]
        norms.append(step.gradient_norms[0].item())
        curvatures.append(L)
        measured.append(decrease.measured)
        guaranteed.append(decrease.guaranteed)
    share = sum(m >= g for m, g in zip(measured, guaranteed, strict=True)) / len(measured)
    report.claim(
        "network: a step of 1/L lowers the loss by ‖∇‖²/2L or more, L measured where it starts",
        share,
        at_least=0.9,
    )
    promised = steps_to_critical_point(
        smoothness=max(curvatures), gap=first, eps=min(norms) * (1 + 1e-9)
    )
    report.claim(
        "network: the smallest gradient is met within T = 2L(h(θ_0) − 0)/ε², L the largest seen",
        norms.index(min(norms)) + 1,
        at_most=promised,
    )
    report.figure(
        "network",
        decrease_figure(measured, guaranteed, curvatures),
        caption=f"A network on {settings.samples} digits, trained with η = 1/L and L measured anew before each step. Left: "
        "no step falls short of its guarantee by much. Right: the curvature moves while the network learns.",
    )


def check_minima(report: Report, settings: Settings) -> None:
    generator = torch.Generator().manual_seed(settings.seed)
    starts = torch.rand(settings.starts, 2, generator=generator, dtype=torch.float64)
    starts = torch.tensor([-2.0, -3.5]) + 6 * starts
    surface = partial(rippled_bowl, amplitude=1.5)
    ends = multi_start(surface, starts, lr=0.03, steps=400)
    values = surface(ends.minima)
    report.table(
        "Where descent ends on the rippled bowl",
        columns=["w₁", "w₂", "value", "starts"],
        rows=[
            [round(w[0].item(), 3), round(w[1].item(), 3), value.item(), count.item()]
            for w, value, count in zip(ends.minima, values, ends.counts, strict=True)
        ],
    )
    lucky = ends.counts[0].item() / settings.starts
    report.claim(
        "a rippled bowl has 9 minima, and descent finds all of them from many starts",
        len(ends.minima),
        equals=9,
    )
    report.claim("from a single start descent rarely finds the lowest", lucky, above=0, below=0.5)


def run(settings: Settings) -> Report:
    report = Report(
        title="Rates of gradient descent",
        summary="The largest curvature L decides which step is safe, the ratio μ/L how fast descent is, and the start "
        "which minimum it finds.",
    )
    check_quadratic(report, settings)
    check_flow(report, settings)
    check_network(report, settings)
    check_minima(report, settings)
    return report


def decrease_figure(
    measured: Sequence[float], guaranteed: Sequence[float], smoothness: Sequence[float]
) -> Figure:
    """Draw the decrease of each step against its guarantee, and the curvature over the steps.

    Args:
        measured: Decrease of the objective, one a step.
        guaranteed: Least decrease that smoothness allows.
        smoothness: Largest curvature before each step.

    Example:
        >>> figure = decrease_figure([0.2, 0.1], [0.1, 0.05], [3.0, 4.0])
        >>> figure.axes[1].get_ylabel()
        'L'
    """
    figure, (left, right) = new_figure(columns=2, width=8.6, height=3.8)
    steps = np.arange(1, len(measured) + 1)
    points = left.scatter(guaranteed, measured, c=steps, cmap="viridis", s=22, zorder=3)
    end = 1.08 * max(*measured, *guaranteed)
    left.plot([0, end], [0, end], "--", color=MUTED, linewidth=1.2, label="guarantee met exactly")
    left.set(title="Decrease of a step", xlabel=Formula("guaranteed, $\\Vert\\nabla\\Vert^2/2L$"))
    left.set_ylabel("measured")
    left.legend(loc="upper left")
    figure.colorbar(points, ax=left, label="step", pad=0.02)
    right.plot(steps, smoothness, color=PALETTE[0])
    right.set(title="Largest curvature", xlabel="step", ylabel="L")
    right.set_ylim(bottom=0)
    return figure
