"""Features of different scales make gradient descent crawl; standardizing them sets it free."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from sklearn.datasets import load_diabetes
from torch import Tensor

from gradatim.linear import (
    descend_least_squares,
    descent_path,
    fit_least_squares,
    hessian_condition,
    hessian_eigenvalues,
    with_ones,
)
from gradatim.plots.error_surface import SurfacePanel, error_surfaces
from gradatim.plots.style import new_figure
from gradatim.reports import Report

COVERS = ("C6",)
KEYWORDS = "standardization, normalization of features, condition number, zero mean unit variance, whitening"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    steps: int = 20_000


QUICK = Settings(steps=4000)


def excess_errors(X: torch.Tensor, y: torch.Tensor, steps: int) -> torch.Tensor:
    """Mean squared error above its minimum at every step of descent with η = 1/L."""
    best = (fit_least_squares(X, y).predict(X) - y).square().mean()
    losses = descend_least_squares(with_ones(X), y, max_steps=steps, tol=0.0).losses
    return (losses - best).clamp(min=1e-12)


def draw_paths(report: Report) -> None:
    generator = torch.Generator().manual_seed(3)
    z = torch.randn(200, 2, generator=generator, dtype=torch.float64)
    panels = []
    for title, scale in (("Scales 1 and 4", 4.0), ("Standardized", 1.0)):
        X = z * torch.tensor([1.0, scale], dtype=z.dtype)
        y = X @ torch.tensor([1.0, 1.0 / scale], dtype=z.dtype)

        def surface(w: torch.Tensor, X: torch.Tensor = X, y: torch.Tensor = y) -> torch.Tensor:
            return (w.double() @ X.T - y).square().mean(-1)

        best = torch.tensor([[1.0, 1.0 / scale]], dtype=z.dtype)
        lr = 1.7 / hessian_eigenvalues(X)[-1].item()
        path = descent_path(surface, torch.tensor([-1.0, 2.0], dtype=z.dtype), lr=lr, steps=25)
        box = ((-2.0, 3.0), (-2.0, 3.0))
        title = f"{title}: κ = {hessian_condition(X):.1f}"
        panels.append(SurfacePanel(title, surface, box, {"25 steps": path}, best))
    report.figure(
        "paths",
        error_surfaces(panels),
        caption="The same data in two units. A long valley makes descent zigzag across it and creep along "
        "it; a round one is crossed in a few steps.",
    )


def check_diabetes(report: Report, settings: Settings) -> None:
    X, y = (torch.tensor(part) for part in load_diabetes(return_X_y=True, scaled=False))
    designs = {"raw": X, "standardized": (X - X.mean(0)) / X.std(0)}
    condition = {label: hessian_condition(with_ones(design)) for label, design in designs.items()}
    errors = {label: excess_errors(design, y, settings.steps) for label, design in designs.items()}
    last = {label: curve[-1].item() for label, curve in errors.items()}
    report.table(
        "Diabetes data, ten features and a bias",
        columns=["inputs", "condition number", f"excess error after {settings.steps:,} steps"],
        rows=[[label, condition[label], last[label]] for label in designs],
    )
    fall = condition["raw"] / condition["standardized"]
    report.claim("condition number falls", fall, "{} times", above=1e3)
    ratio = last["standardized"] / last["raw"]
    report.claim("standardized descent is ahead", ratio, "{} of the raw error", below=0.01)
    raw, standard = (fit_least_squares(design, y).predict(design) for design in designs.values())
    gap = (raw - standard).abs().max().item()
    report.claim("the best fit ignores units", gap, "predictions differ by", below=1e-6)
    report.figure(
        "convergence",
        convergence_curves(errors, ylabel="mean squared error above its minimum"),
        caption="Gradient descent with its best safe step 1/L on the diabetes data.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Input scaling",
        summary="Standardizing the features lowers the condition number of the Hessian by orders of "
        "magnitude, and the number of steps with it.",
    )
    check_diabetes(report, settings)
    draw_paths(report)
    return report


def convergence_curves(curves: Mapping[str, Sequence[float] | Tensor], *, ylabel: str) -> Figure:
    """Draw how errors fall with the number of steps, both axes logarithmic.

    Args:
        curves: Errors by label, one a step from step 0.
        ylabel: What is drawn.

    Example:
        >>> figure = convergence_curves({"raw": [1.0, 0.5]}, ylabel="excess error")
    """
    figure, panel = new_figure(width=6.5, height=4.0)
    for label, curve in curves.items():
        values = np.asarray(curve, dtype=float)
        panel.plot(np.arange(1, len(values) + 1), values, label=label)
    panel.set(xscale="log", yscale="log", xlabel="step", ylabel=ylabel)
    panel.legend()
    return figure
