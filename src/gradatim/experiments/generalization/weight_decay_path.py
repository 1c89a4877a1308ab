"""From no penalty to a heavy one: weights shrink, training error rises, validation error dips."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from sklearn.model_selection import train_test_split
from torch import Tensor

from gradatim.data import load, sinusoid
from gradatim.linear import Affine, fit_ridge, map_weight_decay, polynomial
from gradatim.losses import weight_energy
from gradatim.models import MLP
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.plots.words import Formula
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("D2",)
KEYWORDS = "L2 regularization, ridge, shrinkage, maximum a posteriori MAP, Gaussian prior, penalty, weight energy"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    degree: int = 12
    samples: int = 15
    noise: float = 0.2
    epochs: int = 300
    rows: int = 150
    strengths: tuple[float, ...] = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)


QUICK = Settings(epochs=60, strengths=(1e-4, 1e-2, 1e-1, 1.0, 10.0))


def polynomial_part(report: Report, settings: Settings) -> None:
    """Ridge on powers of x: the wiggles go first."""
    X, y = sinusoid(settings.samples, settings.noise, settings.seed)
    x, target = torch.tensor(X[:, 0]), torch.tensor(y)
    grid = torch.linspace(0, 1, 200, dtype=torch.float64)
    features = polynomial(2 * x - 1, settings.degree)
    curve = polynomial(2 * grid - 1, settings.degree)
    fits: dict[str, Affine] = {
        f"γ = {gamma:g}": fit_ridge(features, target, weight_decay=gamma)
        for gamma in (1e-9, 1e-3, 10.0)
    }
    truth = torch.sin(2 * torch.pi * grid)
    errors = [(fit.predict(curve) - truth).square().mean().item() for fit in fits.values()]
    report.claim(
        "a polynomial fits the truth best between too little and too much decay",
        expected="error at γ = 0.001 below both others",
        measured=", ".join(f"{error:.3g}" for error in errors),
        holds=errors[1] < min(errors[0], errors[2]),
    )
    report.figure(
        "smooth-fits",
        smooth_fits(x, target, grid, truth, {k: fit.predict(curve) for k, fit in fits.items()}),
        caption=f"Polynomials of degree {settings.degree} on {settings.samples} noisy points of a sine.",
    )


def map_part(report: Report, settings: Settings) -> None:
    """The penalized optimum is the mode of the posterior."""
    generator = torch.Generator().manual_seed(settings.seed)
    X = torch.randn(30, 4, generator=generator, dtype=torch.float64)
    y = X.sum(1) + torch.randn(30, generator=generator, dtype=torch.float64)
    prior, noise = 0.25, 1.0
    gamma = map_weight_decay(prior, noise_variance=noise, num_samples=30, objective="mse")
    ridge = fit_ridge(X, y, weight_decay=gamma, fit_intercept=False).weight.requires_grad_()
    log_posterior = -(y - X @ ridge).square().sum() / (2 * noise) - ridge.square().sum() / (
        2 * prior
    )
    (slope,) = torch.autograd.grad(log_posterior, ridge)
    report.claim(
        "γ = 2s²/(Nσ²) makes ridge the most probable weight vector",
        slope.abs().max().item(),
        below=1e-9,
    )


def split(settings: Settings) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
    """Diabetes data, standardized; few rows for training, the rest for validation."""
    data = load("diabetes")
    X, y = torch.as_tensor(data.X).float(), torch.as_tensor(data.y).float()
    X, y = (X - X.mean(0)) / X.std(0), (y - y.mean()) / y.std()
    train, rest = train_test_split(
        torch.arange(len(y)), train_size=settings.rows, random_state=settings.seed
    )
    return (X[train], y[train, None]), (X[rest], y[rest, None])


def train_with_decay(gamma: float, settings: Settings) -> tuple[float, float, float]:
    """Training error, validation error and weight energy of a network."""
    train, validation = split(settings)
    with seeded(settings.seed):
        model = MLP((10, 64, 1), activation="tanh")
    trainer = Trainer(
        model,
        "mse",
        "momentum",
        lr=0.02,
        weight_decay=gamma,
        epochs=settings.epochs,
        batch_size=50,
        seed=settings.seed,
        progress=False,
    )
    trainer.fit(train)
    errors = [trainer.evaluate(part)["loss"] for part in (train, validation)]
    return errors[0], errors[1], weight_energy(model).item()


def run(settings: Settings) -> Report:
    report = Report(
        title="The path of weight decay",
        summary="A heavier penalty always means smaller weights and a worse fit of the training data; "
        "new data are predicted best in between.",
    )
    polynomial_part(report, settings)
    map_part(report, settings)
    results = [train_with_decay(gamma, settings) for gamma in settings.strengths]
    train, validation, energy = (list(column) for column in zip(*results, strict=True))
    report.claim(
        "weight energy falls with every step of γ",
        expected="decreasing",
        measured=f"{energy[0]:.3g} to {energy[-1]:.3g}",
        holds=all(after < before for before, after in pairwise(energy)),
    )
    report.claim(
        "training error rises with γ",
        expected="lowest at the smallest γ, highest at the largest",
        measured=f"{train[0]:.3g} to {train[-1]:.3g}",
        holds=train[0] <= min(train) * 1.01 and train[-1] == max(train),
    )
    best = validation.index(min(validation))
    report.claim(
        "validation error is least inside the path",
        expected="at neither end",
        measured=settings.strengths[best],
        holds=0 < best < len(validation) - 1,
    )
    report.table(
        "A network of 64 hidden units on the diabetes data",
        columns=["γ", "training error", "validation error", "weight energy"],
        rows=[[g, *row] for g, row in zip(settings.strengths, results, strict=True)],
    )
    report.figure(
        "weight-decay-path",
        decay_path(settings.strengths, train, validation, energy),
        caption="Validation error is measured without the penalty; its least value chooses γ.",
    )
    return report


def smooth_fits(
    x: ArrayLike, y: ArrayLike, grid: ArrayLike, truth: ArrayLike, fits: Mapping[str, ArrayLike]
) -> Figure:
    """Draw one panel a fit: data, the true curve, the fitted one.

    Args:
        x: Inputs of the data, shape ``(N,)``.
        y: Targets, shape ``(N,)``.
        grid: Inputs of the curves, shape ``(G,)``.
        truth: True curve, shape ``(G,)``.
        fits: Fitted curves by label, shape ``(G,)`` each.

    Example:
        >>> figure = smooth_fits([0.0], [0.0], [0.0, 1.0], [0.0, 1.0], {"ridge": [0.0, 0.5]})
    """
    figure, axes = new_figure(columns=len(fits), width=3.6 * len(fits), height=3.3, sharey=True)
    values = np.asarray(y, dtype=float)
    margin = 0.6 * np.ptp(values) + 1e-9
    for color, panel, (label, curve) in zip(PALETTE, np.ravel(axes), fits.items(), strict=False):
        panel.plot(grid, truth, ":", color=MUTED, label="truth")
        panel.plot(grid, curve, color=color, label="fit")
        panel.plot(x, values, "o", color=INK, markersize=4, label="data")
        panel.set(
            ylim=(values.min() - margin, values.max() + margin), title=label, xlabel=Formula("$x$")
        )
    np.ravel(axes)[0].legend(loc="lower left")
    return figure


def decay_path(
    strengths: ArrayLike, train: ArrayLike, validation: ArrayLike, energy: ArrayLike
) -> Figure:
    r"""Draw errors and weight energy against the strength of weight decay; the best one is marked.

    Args:
        strengths: :math:`\gamma`, ascending.
        train: Training errors.
        validation: Validation errors.
        energy: :math:`\sum w^2`.

    Example:
        >>> figure = decay_path([0.1, 1.0], [0.5, 0.8], [0.9, 0.7], [10.0, 1.0])
    """
    figure, (left, right) = new_figure(columns=2, width=9.0, height=3.7)
    strengths, validation = np.asarray(strengths), np.asarray(validation)
    left.plot(strengths, train, "o--", color=PALETTE[0], markersize=4, label="training")
    left.plot(strengths, validation, "o-", color=PALETTE[1], markersize=4, label="validation")
    best = int(validation.argmin())
    left.plot(
        strengths[best], validation[best], "*", markersize=15, color=PALETTE[4], markeredgecolor=INK
    )
    left.set(ylabel="mean squared error", title="Errors")
    left.set_ylim(bottom=0)
    left.legend()
    right.plot(strengths, energy, "o-", color=PALETTE[2], markersize=4)
    right.set(yscale="log", ylabel=Formula(r"$\sum w^2$"), title="Weight energy")
    for panel in (left, right):
        panel.set(xscale="log", xlabel=Formula(r"weight decay $\gamma$"))
    return figure
