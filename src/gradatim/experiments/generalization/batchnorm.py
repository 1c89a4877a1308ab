"""Batch normalization lets a deep network train at more learning rates and from more scales of weights."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from torch import nn

from gradatim.experiments._digits import Pair, split_digits
from gradatim.models import MLP
from gradatim.nn.batch_normalization import (
    RunningMoments,
    batch_moments,
    batch_normalize,
    update_running,
)
from gradatim.plots.style import PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report
from gradatim.training import NonFiniteError, Trainer

COVERS = ("D5",)
KEYWORDS = "batch normalization BN, internal covariate shift, running statistics, moving average"
GOOD = 20.0  # error in per cent below which a run counts as trained


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    depth: int = 8
    width: int = 64
    epochs: int = 10
    rates: tuple[float, ...] = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    scales: tuple[float, ...] = (0.1, 0.3, 1.0, 3.0, 10.0)


QUICK = Settings(depth=6, width=32, epochs=4, rates=(0.03, 0.3, 3.0), scales=(0.2, 1.0, 5.0))


def test_error(
    norm: str | None, lr: float, scale: float, settings: Settings, train: Pair, test: Pair
) -> float:
    """Error in per cent after training; that of guessing where the run blows up."""
    with seeded(settings.seed):
        hidden = (settings.width,) * settings.depth
        model = MLP((64, *hidden, 10), activation="tanh", norm=norm)
    with torch.no_grad():
        for layer in model:
            if isinstance(layer, nn.Linear):
                layer.weight *= scale
    trainer = Trainer(
        model,
        optimizer="sgd",
        lr=lr,
        epochs=settings.epochs,
        batch_size=64,
        seed=settings.seed,
        progress=False,
    )
    try:
        trainer.fit(train)
    except NonFiniteError:
        return 90.0
    return 100.0 * trainer.evaluate(test, metrics=["error"])["error"]


def claim_equations(report: Report, settings: Settings) -> None:
    """PyTorch's layer and the equations give the same numbers, in training and at inference."""
    generator = torch.Generator().manual_seed(settings.seed)
    layer = nn.BatchNorm1d(4).double()
    running = RunningMoments(torch.zeros(4).double(), torch.ones(4).double())
    gain, shift = torch.ones(4).double(), torch.zeros(4).double()
    gap = 0.0
    for _ in range(20):
        z = 3 * torch.randn(32, 4, generator=generator, dtype=torch.float64) + 2
        batch = batch_moments(z)
        ours = batch_normalize(z, batch.mean, batch.variance, gain, shift)
        gap = max(gap, (ours - layer(z)).abs().max().item())
        running = update_running(running, batch)
    layer.eval()
    gap = max(gap, (batch_normalize(z, *running, gain, shift) - layer(z)).abs().max().item())
    report.claim("the equations are PyTorch's layer", gap, below=1e-12)
    alone, together = layer(z[:1]), layer(z)[:1]
    report.claim(
        "at inference a sample ignores its batch mates",
        (alone - together).abs().max().item(),
        equals=0,
    )
    example = batch_normalize(
        z[:, :1],
        torch.tensor([2.0]),
        torch.tensor([9.0]),
        torch.tensor([3.0]),
        torch.tensor([2.0]),
        0.0,
    )
    change = (example - z[:, :1]).abs().max().item()
    report.claim(
        "μ = 2, σ = 3, γ = 3, β = 2 undo the normalization", change, "y = z: change", below=1e-12
    )


def draw_histograms(report: Report, settings: Settings) -> None:
    """Batches that drift from N(0, 1) to N(3, 10), normalized by their own or by running moments."""
    generator = torch.Generator().manual_seed(settings.seed)
    drift = torch.linspace(0, 1, 100)
    batches = [3 * t + (1 + 9 * t).sqrt() * torch.randn(400, 1, generator=generator) for t in drift]
    running = RunningMoments(torch.zeros(1), torch.ones(1))
    for z in batches:
        running = update_running(running, batch_moments(z))
    one, zero = torch.ones(1), torch.zeros(1)
    shown = {f"batch {i + 1}": batches[i] for i in (0, 49, 99)}
    own = {k: batch_normalize(z, *batch_moments(z)[:2], one, zero) for k, z in shown.items()}
    fixed = {k: batch_normalize(z, *running, one, zero) for k, z in shown.items()}
    panels = {"Before": shown, "Normalized in training": own, "By the running averages": fixed}
    report.figure(
        "histograms",
        batch_histograms({t: {k: z.flatten() for k, z in p.items()} for t, p in panels.items()}),
        caption="A layer's inputs drift during training. Its own moments bring every batch to mean 0 and "
        "variance 1; the running averages fit the latest batches only, and then change no more.",
    )


def run(settings: Settings) -> Report:
    report = Report(
        title="Batch normalization",
        summary="A deep tanh network with batch normalization trains over a wider range of learning rates "
        "and of sizes of its first weights.",
    )
    claim_equations(report, settings)
    train, test = split_digits(settings.seed, 0.3, is_flat=True)
    nets = {"plain": None, "batch norm": "batch"}
    by_rate = {
        label: [test_error(norm, lr, 1.0, settings, train, test) for lr in settings.rates]
        for label, norm in nets.items()
    }
    by_scale = {
        label: [test_error(norm, 0.1, scale, settings, train, test) for scale in settings.scales]
        for label, norm in nets.items()
    }
    for what, errors in (("learning rates", by_rate), ("scales of the first weights", by_scale)):
        trained = {label: sum(e < GOOD for e in values) for label, values in errors.items()}
        report.claim(
            f"it trains at more {what}",
            expected=f"more runs below {GOOD:.0f} % error than without",
            measured=f"{trained['batch norm']} against {trained['plain']} of {len(errors['plain'])}",
            holds=trained["batch norm"] > trained["plain"],
        )
    for label, values in (("learning rate", settings.rates), ("scale", settings.scales)):
        errors = by_rate if label == "learning rate" else by_scale
        report.table(
            f"Test error in per cent by {label}",
            columns=[label, *nets],
            rows=[list(row) for row in zip(values, *errors.values(), strict=True)],
        )
    draw_errors(report, settings, by_rate, by_scale)
    draw_histograms(report, settings)
    return report


def draw_errors(
    report: Report,
    settings: Settings,
    by_rate: dict[str, list[float]],
    by_scale: dict[str, list[float]],
) -> None:
    report.figure(
        "batchnorm",
        error_curves(
            {
                "learning rate": (settings.rates, by_rate),
                "scale of the first weights": (settings.scales, by_scale),
            }
        ),
        caption=f"Digits, {settings.depth} hidden tanh layers of {settings.width} units, "
        f"{settings.epochs} epochs of SGD (at rate 0.1 on the right).",
    )


def error_curves(panels: Mapping[str, tuple[ArrayLike, Mapping[str, ArrayLike]]]) -> Figure:
    """Draw test errors in per cent against a quantity on a logarithmic scale, one panel each.

    Args:
        panels: By name of the quantity, its values and the errors by label.

    Example:
        >>> figure = error_curves({"learning rate": ([0.1, 1.0], {"plain": [10.0, 90.0]})})
    """
    figure, axes = new_figure(columns=len(panels), width=4.6 * len(panels), height=3.7, sharey=True)
    for panel, (name, (values, curves)) in zip(np.ravel(axes), panels.items(), strict=True):
        for label, errors in curves.items():
            panel.plot(values, errors, "o-", markersize=5, label=label)
        panel.set(xscale="log", ylim=(0, 100), xlabel=name, title=f"Test error by {name}")
    first = np.ravel(axes)[0]
    first.set_ylabel("test error, %")
    first.legend()
    return figure


def batch_histograms(panels: Mapping[str, Mapping[str, ArrayLike]]) -> Figure:
    """Draw the distributions of a few batches, one panel a treatment.

    Args:
        panels: By treatment, values by batch.

    Example:
        >>> figure = batch_histograms({"before": {"batch 1": [0.0, 1.0, 1.0]}})
    """
    figure, axes = new_figure(columns=len(panels), width=3.7 * len(panels), height=3.2)
    for panel, (title, batches) in zip(np.ravel(axes), panels.items(), strict=True):
        everything = np.concatenate([np.asarray(values) for values in batches.values()])
        bins = np.linspace(everything.min(), everything.max(), 41)
        for color, (label, values) in zip(PALETTE, batches.items(), strict=False):
            panel.hist(values, bins, density=True, alpha=0.25, color=color)
            panel.hist(values, bins, density=True, histtype="step", color=color, label=label)
        panel.set(title=title, xlabel="value", yticks=[])
    np.ravel(axes)[0].legend()
    return figure
