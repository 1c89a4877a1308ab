"""Curves from linear models: polynomials, sinusoids and bumps, fixed or moved to where they are needed."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gradatim.evaluation import Report
from gradatim.linear import (
    Affine,
    GaussianBasis,
    fit_least_squares,
    gaussians,
    polynomial,
    sinusoids,
)
from gradatim.plots.linear import basis_fits
from gradatim.training import Trainer


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


def learn_bumps(settings: Settings, x: Tensor, y: Tensor) -> tuple[GaussianBasis, Affine]:
    """Train centres, widths and weights together, then solve for the weights."""
    centers = torch.linspace(-3, 3, settings.functions)
    with torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        model = nn.Sequential(GaussianBasis(centers, width=0.7), nn.Linear(settings.functions, 1))
    Trainer(
        model, loss="mse", lr=0.02, epochs=settings.epochs, batch_size=len(x), schedule="cosine",
        progress=False, seed=settings.seed,
    ).fit((x[:, None].float(), y[:, None].float()))  # fmt: skip
    basis = model[0].cpu().double()
    assert isinstance(basis, GaussianBasis)
    with torch.no_grad():
        return basis, fit_least_squares(basis(x), y)


def run(settings: Settings) -> Report:
    report = Report(
        title="Basis functions",
        summary="With equally many functions, bumps that move to the data beat bumps that stay, and local "
        "functions beat global ones at a narrow peak.",
    )
    generator = torch.Generator().manual_seed(settings.seed)
    x = 6 * torch.rand(settings.samples, generator=generator, dtype=torch.float64) - 3
    y = truth(x) + settings.noise * torch.randn(
        settings.samples, generator=generator, dtype=x.dtype
    )
    grid = torch.linspace(-3, 3, 400, dtype=torch.float64)
    count = settings.functions
    centers = torch.linspace(-3, 3, count, dtype=x.dtype)
    frequencies = torch.arange(1, count // 2 + 1, dtype=x.dtype)
    learned, learned_fit = learn_bumps(settings, x, y)
    with torch.no_grad():
        moved = learned(grid)
    fits = {
        f"polynomial, degree {count}": (
            polynomial(grid, count),
            fit_least_squares(polynomial(x, count), y),
        ),
        f"{count} sines and cosines": (
            sinusoids(grid, frequencies),
            fit_least_squares(sinusoids(x, frequencies), y),
        ),
        f"{count} Gaussians, fixed": (
            gaussians(grid, centers, 0.7),
            fit_least_squares(gaussians(x, centers, 0.7), y),
        ),
        f"{count} Gaussians, learned": (moved, learned_fit),
    }
    errors = {
        label: (fit.predict(features) - truth(grid)).square().mean().sqrt().item()
        for label, (features, fit) in fits.items()
    }
    report.table(
        "Distance from the true curve",
        columns=["basis", "root mean square error"],
        rows=[[k, v] for k, v in errors.items()],
    )
    *_, fixed, best = errors.values()
    report.claim(
        "learned centres and widths beat fixed ones",
        expected="error at most 0.7 of theirs",
        measured=best / fixed,
        holds=best <= 0.7 * fixed,
    )
    report.claim(
        "and every other basis",
        expected="smallest of all",
        measured=best,
        holds=best == min(errors.values()),
    )
    X = polynomial(x / 3, count)
    gap = max(
        (fit_least_squares(X, y, method="normal").predict(X) - fit_least_squares(X, y).predict(X))
        .abs()
        .max()
        .item(),
        0.0,
    )
    report.claim(
        "normal equations and QR agree", expected="same fit to 1e-8", measured=gap, holds=gap < 1e-8
    )
    report.figure(
        "fits",
        basis_fits(x, y, grid, fits),
        caption="Data (dots), the weighted basis functions (thin) and their sum (thick).",
    )
    return report
