"""Prior times likelihood is the posterior: drawn for one weight and for two, with a prior that ties them."""

from dataclasses import dataclass
from typing import NamedTuple

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.linear import fit_ridge
from gradatim.plots.curves import CurvePanel, curve_panels
from gradatim.plots.style import INK, PALETTE, SEQUENTIAL, new_figure
from gradatim.plots.words import Formula
from gradatim.reports import Report

COVERS = ("A6", "D2", "J1")
KEYWORDS = "Bayes' theorem, prior times likelihood, posterior, Bayesian linear regression, maximum a posteriori MAP, correlated Gaussian prior, conjugate prior, sequential updating, ridge, predictive distribution, evidence"
NOISE = 0.3  # deviation of the targets


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    rows: int = 20
    correlation: float = 0.9
    grid: int = 401
    draws: int = 200_000


QUICK = Settings(grid=201, draws=50_000)


class Gaussian(NamedTuple):
    """Mean, shape ``(d,)``, and covariance, shape ``(d, d)``."""

    mean: Tensor
    covariance: Tensor

    def log_density(self, w: Tensor) -> Tensor:
        return torch.distributions.MultivariateNormal(self.mean, self.covariance).log_prob(w)


def update(prior: Gaussian, X: Tensor, y: Tensor) -> Gaussian:
    r"""The posterior of the weights of :math:`y\sim N(Xw,\sigma^2)`.

    .. math:: S^{-1}=\Sigma^{-1}+\tfrac1{\sigma^2}X^\top X, \qquad m=S\bigl(\Sigma^{-1}\mu+\tfrac1{\sigma^2}X^\top y\bigr)

    Args:
        prior: :math:`N(\mu,\Sigma)`.
        X: Shape ``(N, d)``.
        y: Shape ``(N,)``.
    """
    precision = torch.linalg.inv(prior.covariance)
    covariance = torch.linalg.inv(precision + X.T @ X / NOISE**2)
    return Gaussian(covariance @ (precision @ prior.mean + X.T @ y / NOISE**2), covariance)


def log_likelihood(w: Tensor, X: Tensor, y: Tensor) -> Tensor:
    """Of many weight vectors at once, shape ``(M, d)`` to ``(M,)``."""
    return torch.distributions.Normal(w @ X.T, NOISE).log_prob(y).sum(-1)


def draw_rows(dim: int, settings: Settings) -> tuple[Tensor, Tensor]:
    """A line without or with an intercept: inputs, with a one in front where there are two weights, and noisy targets."""
    generator = torch.Generator().manual_seed(settings.seed)
    x = 2 * torch.rand(settings.rows, 1, generator=generator, dtype=torch.float64) - 1
    X = x if dim == 1 else torch.cat([torch.ones_like(x), x], 1)
    truth = torch.tensor([0.5, 0.4], dtype=torch.float64)[-dim:]
    return X, X @ truth + NOISE * torch.randn(settings.rows, generator=generator, dtype=torch.float64)  # fmt: skip


def normalize(log_density: Tensor, cell: float) -> Tensor:
    """A density on a grid whose cells have this size, from a logarithm up to a constant."""
    density = (log_density - log_density.max()).exp()
    return density / (density.sum() * cell)


def one_weight(report: Report, settings: Settings) -> Figure:
    X, y = draw_rows(1, settings)
    prior = Gaussian(torch.tensor([-0.5]).double(), torch.tensor([[0.16]]).double())
    w = torch.linspace(-3.5, 3.5, 20 * settings.grid, dtype=torch.float64)[:, None]
    cell, panels, worst = float(w[1] - w[0]), [], 0.0
    for count in (1, 3, settings.rows):
        likelihood = log_likelihood(w, X[:count], y[:count])
        product = normalize(prior.log_density(w) + likelihood, cell)
        closed = update(prior, X[:count], y[:count])
        worst = max(worst, float((product - closed.log_density(w).exp()).abs().max() / product.max()))  # fmt: skip
        near = slice(None, None, 20)
        shown = {"prior": prior.log_density(w).exp(), "likelihood, scaled": normalize(likelihood, cell), "posterior": product}  # fmt: skip
        title = f"{count} row{'s' * (count > 1)}"
        panels.append(CurvePanel(title, "weight", "density", {n: (w[near, 0].numpy(), v[near].numpy()) for n, v in shown.items()}))  # fmt: skip
    report.claim("one weight: prior times likelihood, divided by its sum over a grid, is the closed form", worst, "largest difference over the peak", below=1e-6)  # fmt: skip
    spread = update(prior, X, y).covariance[0, 0].sqrt()
    alone = NOISE / X.norm()
    report.claim("the posterior is narrower than prior and likelihood", spread / min(float(alone), 0.4), "of the narrower one's width", below=1.0)  # fmt: skip
    return curve_panels(panels, width=4.0)


def tied(correlation: float) -> Gaussian:
    off = torch.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=torch.float64)
    return Gaussian(torch.zeros(2).double(), torch.eye(2).double() + correlation * off)


def check_two(report: Report, settings: Settings) -> None:
    X, y = draw_rows(2, settings)
    prior = tied(settings.correlation)
    whole = update(prior, X, y)
    stepwise = prior
    for row in range(len(y)):
        stepwise = update(stepwise, X[row : row + 1], y[row : row + 1])
    gap = (stepwise.mean - whole.mean).abs().max() + (stepwise.covariance - whole.covariance).abs().max()  # fmt: skip
    report.claim("row by row, each posterior the next prior, comes to the same as all rows at once", gap, "largest difference", below=1e-10)  # fmt: skip
    ridge = fit_ridge(X, y, weight_decay=2 * NOISE**2 / len(y), fit_intercept=False).weight
    report.claim("independent weights of variance 1: the most probable ones are ridge with λ = σ²", (update(tied(0.0), X, y).mean - ridge).abs().max(), "largest difference", below=1e-9)  # fmt: skip
    factor = torch.linalg.cholesky(prior.covariance)
    turned = factor @ fit_ridge(X @ factor, y, weight_decay=2 * NOISE**2 / len(y), fit_intercept=False).weight  # fmt: skip
    report.claim("tied weights: ridge in coordinates u with w = Lu, LLᵀ the prior's covariance", (whole.mean - turned).abs().max(), "largest difference", below=1e-9)  # fmt: skip
    generator = torch.Generator().manual_seed(settings.seed + 1)
    w = torch.randn(settings.draws, 2, generator=generator, dtype=torch.float64) @ factor.T
    few = X[:3], y[:3]
    weight = log_likelihood(w, *few).softmax(0)
    report.claim("draws of the prior weighed by their likelihood have the posterior's mean", (weight @ w - update(prior, *few).mean).abs().max(), "largest difference after 3 rows", below=0.06)  # fmt: skip
    one = X[:1], y[:1]
    moved = {rho: update(tied(rho), *one).mean for rho in (0.0, settings.correlation)}
    report.claim(f"correlation {settings.correlation:g}: one row at x = 0 would teach of the slope too", slope_learned(settings.correlation), "posterior deviation of the slope, which was 1", below=0.75)  # fmt: skip
    report.claim("without correlation it teaches nothing of it", slope_learned(0.0), "posterior deviation of the slope", near=(1.0, 1e-9))  # fmt: skip
    ends = [update(tied(rho), X, y).mean for rho in moved]
    shift = (ends[0] - ends[1]).norm() / (moved[0.0] - moved[settings.correlation]).norm()
    report.claim(f"after {len(y)} rows the prior is nearly forgotten", shift, "of what it changed after one", below=0.6)  # fmt: skip


def slope_learned(correlation: float) -> float:
    """Posterior deviation of the slope after a row that tells of the intercept only."""
    row = torch.tensor([[1.0, 0.0]], dtype=torch.float64)
    return float(update(tied(correlation), row, torch.zeros(1).double()).covariance[1, 1].sqrt())


def two_weights(settings: Settings) -> Figure:
    """Prior or posterior, and lines drawn from it, as rows come."""
    X, y = draw_rows(2, settings)
    axis = torch.linspace(-2, 2, settings.grid, dtype=torch.float64)
    grid = torch.cartesian_prod(axis, axis)
    counts = (0, 1, 3, settings.rows)
    figure, axes = new_figure(3, len(counts), 3.0 * len(counts), 8.4)
    generator = torch.Generator().manual_seed(settings.seed + 2)
    for line, correlation in enumerate((0.0, settings.correlation)):
        for column, count in enumerate(counts):
            found = update(tied(correlation), X[:count], y[:count])
            density = found.log_density(grid).exp().reshape(settings.grid, -1).T  # rows by slope
            panel = axes[line, column]
            panel.contourf(axis, axis, density, levels=12, cmap=SEQUENTIAL)
            panel.plot(0.5, 0.4, "+", color=PALETTE[1], markersize=10, markeredgewidth=2)
            panel.set(title=f"{count} row{'s' * (count != 1)}" if count else f"prior, correlation {correlation:g}", aspect="equal")  # fmt: skip
            panel.set(xlabel=Formula("intercept $w_0$"), ylabel=Formula("slope $w_1$"))
            if line:
                _draw_lines(axes[2, column], found, X[:count], y[:count], generator)
    return figure


def _draw_lines(panel: Axes, found: Gaussian, X: Tensor, y: Tensor, generator: torch.Generator) -> None:  # fmt: skip
    noise = torch.randn(8, 2, generator=generator, dtype=torch.float64)
    x = torch.tensor([-1.0, 1.0], dtype=torch.float64)
    for w in found.mean + noise @ torch.linalg.cholesky(found.covariance).T:
        panel.plot(x, w[0] + w[1] * x, color=PALETTE[0], linewidth=0.9, alpha=0.7)  # fmt: skip
    panel.plot(X[:, 1], y, "o", color=INK, markersize=4)
    panel.set(xlabel="x", ylim=(-2.5, 2.5), title="lines drawn from it")


def run(settings: Settings) -> Report:
    report = Report(
        title="Prior times likelihood",
        summary="What was believed of the weights, times how well each explains the rows, is what to believe now. A prior that ties "
        "weights lets a row about one of them teach of the other; many rows make the prior forgotten.",
    )
    single = one_weight(report, settings)
    check_two(report, settings)
    report.figure("one-weight", single, caption="The slope of a line through the origin. The likelihood is scaled so that its area is one.")  # fmt: skip
    report.figure("two-weights", two_weights(settings), caption="Intercept and slope of a line, from a prior of independent weights (top) and of tied ones (middle); the cross is the truth. Bottom: lines drawn from the middle row.")  # fmt: skip
    return report
