"""Dropout on the inputs of linear regression is ridge regression, feature by feature."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from sklearn.datasets import load_diabetes
from torch import Tensor, nn

from gradatim.linear import fit_least_squares, fit_ridge
from gradatim.linear.dropout_ridge import dropout_penalty, fit_dropout_ridge
from gradatim.nn import inverted_dropout
from gradatim.plots.style import MUTED, PALETTE, new_figure
from gradatim.reports import Report
from gradatim.training import Trainer

COVERS = ("D4",)
KEYWORDS = "stochastic regularization, weight scaling rule, Bernoulli noise, adaptive L2 penalty"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    epochs: int = 200
    keeps: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 0.9)
    masks: int = 400_000


QUICK = Settings(epochs=25, keeps=(0.4, 0.8), masks=100_000)


def train_with_dropout(X: Tensor, y: Tensor, keep: float, settings: Settings) -> Tensor:
    """Weights of a dense layer behind dropout, trained by SGD with a falling learning rate."""
    layer = nn.Linear(X.shape[1], 1).double()
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    trainer = Trainer(
        nn.Sequential(inverted_dropout(keep=keep), layer),
        "mse",
        "sgd",
        lr=0.1 * keep,
        schedule="cosine",
        epochs=settings.epochs,
        batch_size=64,
        seed=settings.seed,
        progress=False,
    )
    trainer.fit((X, y[:, None]))
    return layer.weight.detach()[0]


def claim_decomposition(report: Report, X: Tensor, y: Tensor, settings: Settings) -> None:
    """Sample masks for a few samples and compare with the closed form."""
    generator = torch.Generator().manual_seed(settings.seed)
    w = torch.randn(X.shape[1], generator=generator, dtype=X.dtype)
    x, target, keep = X[:4], y[:4], 0.5
    masks = torch.rand(settings.masks, 1, X.shape[1], generator=generator) < keep
    sampled = ((masks * x / keep) @ w - target).square().mean().item()
    exact = ((x @ w - target).square().mean() + dropout_penalty(w, x, keep=keep)).item()
    report.claim("expected loss = loss + (1 − p)/p Σ wⱼ² xⱼ²", sampled / exact, near=(1, 0.01))


def run(settings: Settings) -> Report:
    report = Report(
        title="Dropout is ridge",
        summary="Averaged over its masks, dropout on linear regression penalizes each weight by the size "
        "of its feature; on standardized features that is ridge with γ = 2(1 − p)/p.",
    )
    data = load_diabetes(scaled=False)
    raw, y = torch.tensor(data.data), torch.tensor(data.target)
    X = (raw - raw.mean(0)) / raw.std(0, correction=0)
    y = (y - y.mean()) / y.std()
    claim_decomposition(report, X, y, settings)
    keep = settings.keeps[0]
    ridge = fit_ridge(X, y, weight_decay=2 * (1 - keep) / keep).weight
    gap = (ridge - fit_dropout_ridge(X, y, keep=keep).weight).abs().max().item()
    report.claim("on standardized features it is ridge with γ = 2(1 − p)/p", gap, below=1e-9)
    free = fit_least_squares(X, y).weight
    trained = torch.stack([train_with_dropout(X, y, k, settings) for k in settings.keeps])
    closed = torch.stack([fit_dropout_ridge(X, y, keep=k).weight for k in settings.keeps])
    for k, sampled, exact in zip(settings.keeps, trained, closed, strict=True):
        ratio = ((sampled - exact).norm() / (free - exact).norm()).item()
        report.claim(
            f"training with dropout, keep = {k}, ends there", ratio, "{} of the way", below=0.1
        )
    claim_adaptive(report, X, y)
    grid = 1.0 - torch.linspace(0.95, 0.0, 60, dtype=torch.float64).square()
    curves = torch.stack([fit_dropout_ridge(X, y, keep=float(k)).weight for k in grid])
    report.figure(
        "dropout-is-ridge",
        weight_paths(
            grid,
            {name: curves[:, j] for j, name in enumerate(data.feature_names)},
            (settings.keeps, trained),
            xlabel="probability to keep an input",
            title="Lines: closed form. Dots: trained with dropout.",
        ),
        caption="Weights of a linear regression on the diabetes data. Without dropout (right end) two "
        "blood values with opposite large weights cancel each other; dropout makes them share.",
    )
    return report


def claim_adaptive(report: Report, X: Tensor, y: Tensor) -> None:
    """Units do not matter to dropout, and they do to ridge."""
    scale = torch.ones(X.shape[1], dtype=X.dtype)
    scale[2] = 10.0
    changes = {}
    for label, fit in (
        ("dropout", lambda Z: fit_dropout_ridge(Z, y, keep=0.5).predict(Z)),
        ("ridge", lambda Z: fit_ridge(Z, y, weight_decay=2.0).predict(Z)),
    ):
        changes[label] = (fit(X * scale) - fit(X)).abs().max().item()
    report.claim(
        "the penalty adapts: in other units dropout predicts the same",
        expected="change < 1e-9, and > 0.01 for ridge",
        measured=f"{changes['dropout']:.1e} and {changes['ridge']:.2f}",
        holds=changes["dropout"] < 1e-9 and changes["ridge"] > 0.01,
    )


def weight_paths(
    strengths: ArrayLike,
    paths: Mapping[str, ArrayLike],
    dots: tuple[ArrayLike, ArrayLike] | None = None,
    *,
    xlabel: str,
    title: str = "",
) -> Figure:
    """Draw every weight against the strength of a regularizer; dots are the same by other means.

    Args:
        strengths: Positions on the horizontal axis, shape ``(S,)``.
        paths: Weights by name, shape ``(S,)`` each.
        dots: Positions ``(D,)`` and weights ``(D, number of paths)``.
        xlabel: What the strength is.
        title: Heading.

    Example:
        >>> figure = weight_paths([0.5, 1.0], {"age": [0.1, 0.2]}, xlabel="keep")
    """
    figure, panel = new_figure(width=7.5, height=4.4)
    order = sorted(paths, key=lambda name: -float(np.asarray(paths[name])[-1]))
    columns = {name: index for index, name in enumerate(paths)}
    for place, name in enumerate(order):
        color = PALETTE[place % len(PALETTE)]
        style = "-" if place < len(PALETTE) else "--"
        panel.plot(strengths, paths[name], style, color=color, label=name)
        if dots is not None:
            values = np.asarray(dots[1])[:, columns[name]]
            panel.plot(dots[0], values, "o", color=color, markersize=5, markeredgecolor="white")
    panel.axhline(0, color=MUTED, linewidth=0.8)
    panel.set(xlabel=xlabel, ylabel="weight")
    if title:
        panel.set_title(title)
    panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
