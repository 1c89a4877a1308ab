"""Stopping gradient descent after T steps acts like weight decay of strength 1/(ηT)."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import Tensor

from gradatim.instruments import VectorObjective, descend, network_objective
from gradatim.linear import descend_least_squares, fit_ridge, hessian_eigenvalues
from gradatim.losses import mse
from gradatim.models import MLP
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("D3", "D2")
KEYWORDS = "Hessian eigenvalues, shrinkage of a network's weights, early stopping time T = 1/(ημ), regularization path, spectral filter"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    samples: int = 80
    features: int = 60
    noise: float = 0.7
    steps: int = 50_000
    points: int = 60


QUICK = Settings(steps=5000, points=30)


def draw(settings: Settings) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Inputs with a falling spectrum, noisy targets, the true weights and the inputs' variances."""
    generator = torch.Generator().manual_seed(settings.seed)
    shape = (settings.samples, settings.features)
    spread = torch.arange(1, settings.features + 1, dtype=torch.float64).rsqrt()
    X = torch.randn(shape, generator=generator, dtype=torch.float64) * spread
    truth = torch.randn(settings.features, generator=generator, dtype=torch.float64) * 0.5
    noise = torch.randn(settings.samples, generator=generator, dtype=torch.float64)
    return X, X @ truth + settings.noise * noise, truth, spread.square()


def descent_weights(X: Tensor, y: Tensor, lr: float, counts: list[int]) -> Tensor:
    """Weights after each number of steps from zero."""
    weight, rows, before = torch.zeros(X.shape[1], dtype=X.dtype), [], 0
    for count in counts:
        weight = descend_least_squares(
            X, y, start=weight, max_steps=count - before, lr=lr, tol=0.0
        ).weight
        rows.append(weight)
        before = count
    return torch.stack(rows)


def hessian(loss: VectorObjective, w: Tensor) -> Tensor:
    return torch.func.jacrev(torch.func.grad(loss))(w)


def fit_minimum(settings: Settings) -> tuple[VectorObjective, Tensor]:
    """The loss of a small network on noisy rows, and a minimum of it: descent, then Newton's steps that never climb."""
    generator = torch.Generator().manual_seed(settings.seed)
    X = torch.randn(60, 2, generator=generator, dtype=torch.float64)
    y = (X[:, :1] - 0.5 * X[:, 1:]).tanh() + 0.2 * torch.randn(60, 1, generator=generator, dtype=torch.float64)  # fmt: skip
    with seeded(settings.seed):
        model = MLP((2, 3, 1), activation="tanh").double()
    plain, theta = network_objective(model, mse, X, y)

    def loss(w: Tensor) -> Tensor:
        return plain(w) + 1e-2 * w.square().sum()  # so that the minimum is one point

    w = descend(loss, theta, lr=0.1, steps=2000).points[-1]
    for _ in range(30):
        values, basis = torch.linalg.eigh(hessian(loss, w))
        step = basis @ (basis.T @ torch.func.grad(loss)(w) / values.abs().clamp(min=1e-3))
        while loss(w - step) > loss(w) and step.norm() > 1e-14:
            step = step / 2
        w = w - step
    return loss, w


def check_network(report: Report, settings: Settings) -> None:
    """Near a minimum a network is a parabola: decay towards a place nearby keeps λ/(λ + μ) of the way from it, as steps do."""
    loss, best = fit_minimum(settings)
    values, basis = torch.linalg.eigh(hessian(loss, best))
    away = 1e-3 * (basis @ torch.ones_like(best))  # the same distance along every direction
    start = best - away
    lr, strengths = 0.5 / values[-1], torch.logspace(-3, 0, 4, dtype=torch.float64) * values[-1]
    shares, decayed, stopped = [], [], []
    for mu in strengths:
        w = best
        for _ in range(5):
            g = torch.func.grad(loss)(w) + mu * (w - start)
            H = hessian(loss, w) + mu * torch.eye(len(w), dtype=w.dtype)
            w = w - torch.linalg.solve(H, g)
        steps = max(round(float(1 / (lr * mu))), 1)
        end = descend(loss, start, lr=float(lr), steps=steps).points[-1]
        decayed.append(basis.T @ (w - start) / (basis.T @ away))
        stopped.append(basis.T @ (end - start) / (basis.T @ away))
        shares.append((values / (values + mu), 1 - (1 - lr * values) ** steps))
    kept = max(float((own - share).abs().max()) for own, (share, _) in zip(decayed, shares, strict=True))  # fmt: skip
    ran = max(float((own - share).abs().max()) for own, (_, share) in zip(stopped, shares, strict=True))  # fmt: skip
    report.claim(f"a network of {len(best)} weights, near its minimum: decay keeps λ/(λ + μ) along each direction of its Hessian", kept, "largest difference", below=0.02)  # fmt: skip
    report.claim("T steps keep 1 − (1 − ηλ)ᵀ", ran, "largest difference", below=0.02)
    panels = [
        CurvePanel(f"μ = {float(mu / values[-1]):g} of the largest λ", "eigenvalue λ of the Hessian", "share kept", {"weight decay": (values.numpy(), own.numpy()), "T = 1/(ημ) steps": (values.numpy(), ended.numpy())}, {"λ/(λ + μ)": (values.numpy(), share[0].numpy()), "1 − (1 − ηλ)ᵀ": (values.numpy(), share[1].numpy())}, is_log_x=True)
        for mu, own, ended, share in zip(strengths[:3], decayed, stopped, shares, strict=False)
    ]  # fmt: skip
    report.figure("network", curve_panels(panels, width=4.2), caption="What decay and an early end keep of the way to a network's minimum, from a start nearby, by direction of the Hessian.")  # fmt: skip


def plane_paths(lr: float = 0.04) -> tuple[dict[str, Tensor], Tensor]:
    """Two weights, one steep and one flat direction."""
    X = torch.tensor([[2.0, 1.2], [1.2, 2.0], [0.8, -0.4]], dtype=torch.float64)
    y = X @ torch.tensor([1.6, 0.4], dtype=torch.float64)
    counts = sorted({int(c) for c in np.geomspace(1, 1000, 50)})
    start = torch.zeros(1, 2, dtype=X.dtype)
    stopped = torch.cat([start, descent_weights(X, y, lr, counts)])
    decayed = [
        fit_ridge(X, y, weight_decay=1 / (lr * c), fit_intercept=False).weight for c in counts
    ]
    paths = {"early stopping": stopped, "weight decay": torch.cat([start, torch.stack(decayed)])}
    return paths, 2 / 3 * X.T @ X


def run(settings: Settings) -> Report:
    report = Report(
        title="Early stopping is weight decay",
        summary="Along each direction of curvature λ, T steps of descent keep the share 1 − (1 − ηλ)ᵀ of "
        "the solution and weight decay keeps λ/(λ + μ): nearly one curve at μ = 1/(ηT).",
    )
    X, y, truth, variance = draw(settings)
    lr = 0.2 / hessian_eigenvalues(X)[-1].item()
    counts = sorted({int(c) for c in np.geomspace(1, settings.steps, settings.points)})
    strengths = [1 / (lr * count) for count in counts]
    stopped = descent_weights(X, y, lr, counts)
    decayed = torch.stack(
        [fit_ridge(X, y, weight_decay=mu, fit_intercept=False).weight for mu in strengths]
    )
    check_descent(report, X, y, lr, counts, stopped)
    curvature = torch.logspace(-2, 2, 200, dtype=torch.float64)
    factors = {
        "early stopping": 1 - torch.exp(-curvature),
        "weight decay": curvature / (1 + curvature),
    }
    check_factors(report, curvature, factors)
    weights = {"early stopping": stopped, "weight decay": decayed}
    risks = {k: ((w - truth).square() * variance).sum(1) for k, w in weights.items()}
    check_risks(report, strengths, weights, risks)
    check_network(report, settings)
    paths, hessian = plane_paths()
    report.figure(
        "early-stopping-is-weight-decay",
        shrinkage_and_risk(
            curvature, factors, {k: (strengths, v) for k, v in risks.items()}, paths, hessian
        ),
        caption="Left: both keep steep directions and suppress flat ones. Middle: both leave 0 along the "
        f"steep direction first. Right: {settings.features} unknowns, {settings.samples} noisy equations; "
        "dots mark the best strength.",
    )
    return report


def check_factors(report: Report, curvature: Tensor, factors: dict[str, Tensor]) -> None:
    """Compare the shares kept along a direction of curvature λ, in units of μ."""
    gap = (factors["early stopping"] - factors["weight decay"]).abs().max().item()
    report.claim("shares kept are close in every direction", gap, at_most=0.204)
    flat = curvature < 0.1
    excess = (factors["early stopping"] / factors["weight decay"] - 1)[flat].max().item()
    report.claim("in flat directions they are one", excess, above=0, below=0.05)


def check_risks(
    report: Report,
    strengths: list[float],
    weights: dict[str, Tensor],
    risks: dict[str, Tensor],
) -> None:
    """Compare the best either regularizer reaches, and where."""
    least = {label: risk.min().item() for label, risk in risks.items()}
    ratio = least["early stopping"] / least["weight decay"]
    report.claim("best risks agree", ratio, "ratio", above=0.8, below=1.25)
    places = {label: strengths[int(risk.argmin())] for label, risk in risks.items()}
    apart = places["early stopping"] / places["weight decay"]
    report.claim("best strengths agree", apart, "1/(ηT) over μ", above=1 / 3, below=3)
    for label, risk in risks.items():
        report.claim(f"{label} helps", (risk.min() / risk[-1]).item(), "risk ratio", below=0.5)
    report.table(
        "At the best strength",
        columns=["regularizer", "μ or 1/(ηT)", "excess risk", "norm of the weights"],
        rows=[
            [label, places[label], least[label], w[int(risks[label].argmin())].norm().item()]
            for label, w in weights.items()
        ],
    )


def check_descent(
    report: Report, X: Tensor, y: Tensor, lr: float, counts: list[int], stopped: Tensor
) -> None:
    """Compare measured descent with its formula in the eigenbasis of the Hessian."""
    values, basis = torch.linalg.eigh(2 / len(X) * X.T @ X)
    solution = basis.T @ (torch.linalg.pinv(X) @ y)
    predicted = torch.stack([(1 - (1 - lr * values) ** count) * solution for count in counts])
    error = (stopped @ basis - predicted).abs().max().item()
    report.claim("descent follows 1 − (1 − ηλ)ᵀ", error, "weights differ by", below=1e-8)


def shrinkage_and_risk(
    curvature: ArrayLike,
    factors: Mapping[str, ArrayLike],
    risks: Mapping[str, tuple[ArrayLike, ArrayLike]],
    plane: Mapping[str, ArrayLike],
    hessian: ArrayLike,
) -> Figure:
    r"""Draw two regularizers side by side: what they do to each direction, to a path, to the risk.

    Args:
        curvature: Curvatures over strength, :math:`\lambda/\mu`, ascending.
        factors: By regularizer, the share of the least-squares solution kept at each curvature.
        risks: By regularizer, strengths :math:`\mu` and excess risks.
        plane: By regularizer, a path in the plane from the origin, shape ``(steps, 2)``.
        hessian: Hessian of the loss in the plane, shape ``(2, 2)``; its minimum is where paths end.

    Example:
        >>> x = np.array([0.1, 1.0, 10.0])
        >>> path = {"ridge": np.array([[0.0, 0.0], [1.0, 1.0]])}
        >>> figure = shrinkage_and_risk(x, {"ridge": x / (1 + x)}, {"ridge": (x, x)}, path, np.eye(2))
        >>> len(figure.axes)
        3
    """
    figure, (left, middle, right) = new_figure(columns=3, width=11.5, height=3.9)
    for label, factor in factors.items():
        left.plot(curvature, factor, label=label)
    left.set(xscale="log", xlabel=Formula(r"curvature over strength, $\lambda/\mu$"))
    left.set(ylabel="share of the solution kept", title="Direction by direction")
    left.legend()
    _draw_plane(middle, plane, np.asarray(hessian, dtype=float))
    for color, (label, (strength, risk)) in zip(PALETTE, risks.items(), strict=False):
        strength, risk = np.asarray(strength), np.asarray(risk)
        right.plot(strength, risk, color=color, label=label)
        best = int(risk.argmin())
        right.plot(strength[best], risk[best], "o", color=color, markersize=6)
    right.set(xscale="log", yscale="log")
    right.invert_xaxis()
    right.set(xlabel=Formula(r"$\mu$, or $1/\eta T$  (more fitting →)"), ylabel="excess risk")
    right.set_title("Test error")
    right.legend()
    return figure


def _draw_plane(panel: Axes, paths: Mapping[str, ArrayLike], hessian: np.ndarray) -> None:
    ends = [np.asarray(path, dtype=float) for path in paths.values()]
    best = ends[0][-1]
    low = np.minimum(np.zeros(2), best) - 0.35 * np.abs(best).max()
    high = np.maximum(np.zeros(2), best) + 0.35 * np.abs(best).max()
    grid = np.stack(
        np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80)), -1
    )
    height = np.einsum("abi,ij,abj->ab", grid - best, hessian, grid - best)
    levels = np.geomspace(height.max() / 300, height.max(), 8)
    panel.contour(
        grid[..., 0], grid[..., 1], height, levels, colors=MUTED, linewidths=0.6, alpha=0.6
    )
    for label, path in zip(paths, ends, strict=True):
        panel.plot(*path.T, label=label)
    panel.plot(*best, "*", markersize=13, color=PALETTE[4], markeredgecolor=INK, zorder=5)
    panel.plot(0, 0, "o", color=INK, markersize=5)
    panel.set(xlabel=Formula("$w_1$"), ylabel=Formula("$w_2$"), title="Path from 0 to the solution")
    panel.legend(loc="lower right")
