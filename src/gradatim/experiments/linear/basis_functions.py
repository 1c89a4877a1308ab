"""Curves from linear models: polynomials, sinusoids and bumps, fixed or moved to where they are needed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from gradatim.linear import (
    Affine,
    GaussianBasis,
    fit_least_squares,
    gaussians,
    polynomial,
    sinusoids,
)
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("A6",)
KEYWORDS = "radial basis functions RBF, translated basis functions, linear regression, feature engineering, learned features"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    samples: int = 80
    functions: int = 6
    noise: float = 0.05
    epochs: int = 4000


QUICK = Settings(epochs=1500)


def truth(x: Tensor) -> Tensor:
    """Smooth on the left, a narrow peak on the right."""
    return torch.sin(2 * x) / 2 + 1.5 * torch.exp(-(x - 2).square() / (2 * 0.15**2))


def learn_bumps(settings: Settings, x: Tensor, y: Tensor) -> GaussianBasis:
    """Train centres and widths together with the weights."""
    with seeded(settings.seed):
        head = nn.Linear(settings.functions, 1)
    basis = GaussianBasis(torch.linspace(-3, 3, settings.functions), width=0.7)
    Trainer(
        nn.Sequential(basis, head), loss="mse", lr=0.02, schedule="cosine", epochs=settings.epochs,
        batch_size=len(x), device="cpu", progress=False, seed=settings.seed,
    ).fit((x[:, None].float(), y[:, None].float()))  # fmt: skip
    return basis.double()


def fit_all(
    settings: Settings, x: Tensor, y: Tensor, grid: Tensor
) -> dict[str, tuple[Tensor, Affine]]:
    """Features of the grid and the fit, for each basis."""
    count = settings.functions
    centers = torch.linspace(-3, 3, count, dtype=x.dtype)
    frequencies = torch.arange(1, count // 2 + 1, dtype=x.dtype)
    bases: dict[str, Callable[[Tensor], Tensor]] = {
        f"polynomial, degree {count}": lambda x: polynomial(x, count),
        f"{count} sines and cosines": lambda x: sinusoids(x, frequencies),
        f"{count} Gaussians, fixed": lambda x: gaussians(x, centers, 0.7),
        f"{count} Gaussians, learned": learn_bumps(settings, x, y),
    }
    with torch.no_grad():
        return {
            label: (basis(grid), fit_least_squares(basis(x), y)) for label, basis in bases.items()
        }


def run(settings: Settings) -> Report:
    report = Report(
        title="Basis functions",
        summary="With equally many functions, bumps that move to the data beat bumps that stay, and local "
        "functions beat global ones at a narrow peak.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    x = 6 * torch.rand(settings.samples, generator=generator, dtype=torch.float64) - 3
    noise = torch.randn(settings.samples, generator=generator, dtype=x.dtype)
    y = truth(x) + settings.noise * noise
    grid = torch.linspace(-3, 3, 400, dtype=torch.float64)
    fits = fit_all(settings, x, y, grid)
    errors = {
        label: (fit.predict(features) - truth(grid)).square().mean().sqrt().item()
        for label, (features, fit) in fits.items()
    }
    report.table(
        "Distance from the true curve",
        columns=["basis", "root mean square error"],
        rows=[[label, error] for label, error in errors.items()],
    )
    *others, fixed, best = errors.values()
    ratio, least = best / fixed, min(*others, fixed)
    X = polynomial(x / 3, settings.functions)
    qr, normal = (fit_least_squares(X, y, method=method).predict(X) for method in ("qr", "normal"))
    gap = (qr - normal).abs().max().item()
    report.claim("error of learned bumps over that of fixed ones", ratio, at_most=0.7)
    report.claim("error of learned bumps", best, "{}, below all others", below=least)
    report.claim("normal equations and QR agree", gap, "fits differ by", below=1e-8)
    report.figure(
        "fits",
        basis_fits(x, y, grid, fits),
        caption="Data (dots), the weighted basis functions (thin) and their sum (thick).",
    )
    return report


def basis_fits(
    x: Tensor, y: Tensor, grid: Tensor, fits: Mapping[str, tuple[Tensor, Affine]]
) -> Figure:
    """Draw data, the weighted basis functions and their sum, one panel a basis.

    Args:
        x: Inputs, shape ``(N,)``.
        y: Targets, shape ``(N,)``.
        grid: Inputs to draw at, shape ``(G,)``.
        fits: By label, the features of the grid, shape ``(G, M)``, and the fit on them.

    Example:
        >>> x = torch.linspace(0, 1, 5)
        >>> fit = Affine(torch.tensor([1.0]), torch.tensor(0.0))
        >>> len(basis_fits(x, x, x, {"line": (x[:, None], fit)}).axes)
        1
    """
    columns = min(2, len(fits))
    rows = -(-len(fits) // columns)
    figure, axes = new_figure(rows, columns, 4.6 * columns, 3.0 * rows, sharex=True, sharey=True)
    panels = np.ravel(axes)
    for panel, (label, (features, fit)) in zip(panels, fits.items(), strict=False):
        parts = features.double() * fit.weight.double()
        panel.plot(grid, parts, color=PALETTE[5], linewidth=0.9, alpha=0.8)
        panel.plot(x, y, "o", color=MUTED, markersize=3)
        panel.plot(grid, fit.predict(features), color=PALETTE[1], linewidth=2.2)
        panel.set_title(label)
    for panel in panels[len(fits) :]:
        panel.set_axis_off()
    spread = float(y.max() - y.min())
    panels[0].set_ylim(float(y.min()) - 0.6 * spread, float(y.max()) + 0.6 * spread)
    return figure
