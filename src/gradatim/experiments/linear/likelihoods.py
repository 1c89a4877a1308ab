"""Every loss is a likelihood: squared error is Gaussian noise, absolute error Laplace, cross-entropy a coin."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, distributions

from gradatim.errors import InvalidValue
from gradatim.linear import LIKELIHOODS, likelihood, negative_log_likelihood
from gradatim.plots.style import PALETTE, new_figure
from gradatim.randomness import seeded
from gradatim.reports import Report

COVERS = ("A6", "D1", "C6")
KEYWORDS = "maximum likelihood estimation MLE, i.i.d. independent and identically distributed, loss function, error function, mean squared error MSE, mean absolute error MAE, sum of squared errors SSE, binary cross-entropy BCE log loss, Huber, log-sum-exp overflow"


@dataclass(frozen=True)
class Settings:
    seed: int = 0
    samples: int = 2000
    outliers: int = 40


QUICK = Settings(samples=500, outliers=10)


def draw_targets(settings: Settings) -> dict[str, Tensor]:
    with seeded(settings.seed):
        n = (settings.samples,)
        one = torch.tensor(1.0, dtype=torch.float64)
        return {
            "gaussian": distributions.Normal(one, 1.0).sample(n),
            "laplace": distributions.Laplace(one, 1.0).sample(n),
            "bernoulli": distributions.Bernoulli(0.7 * one).sample(n),
            "categorical": distributions.Categorical(torch.tensor([0.5, 0.3, 0.2])).sample(n),
            "poisson": distributions.Poisson(3 * one).sample(n),
            "exponential": distributions.Exponential(0.5 * one).sample(n),
        }


def reference(name: str, output: Tensor) -> distributions.Distribution:
    """The distribution of PyTorch that the table's row stands for."""
    return {
        "gaussian": lambda: distributions.Normal(output, 1.0),
        "laplace": lambda: distributions.Laplace(output, 1.0),
        "bernoulli": lambda: distributions.Bernoulli(logits=output),
        "categorical": lambda: distributions.Categorical(logits=output),
        "poisson": lambda: distributions.Poisson(output.exp()),
        "exponential": lambda: distributions.Exponential((-output).exp()),
    }[name]()


def check_rows(report: Report, targets: dict[str, Tensor]) -> None:
    rows = []
    for name, target in targets.items():
        row = likelihood(name)
        best = row.best_constant(target)
        output = best.expand(len(target), *best.shape).clone().requires_grad_()
        log_prob = reference(name, output).log_prob(target)
        gap = (negative_log_likelihood(name, output, target) + log_prob).abs().max().item()
        report.claim(f"{name}: −log p is {row.loss_name} up to a constant", gap, below=1e-9)
        (slope,) = torch.autograd.grad(log_prob.mean(), output)
        balance = slope.sum(0).abs().max().item()
        if name != "laplace":  # whose likelihood has a kink at its peak
            report.claim(
                f"{name}: the best constant has the largest likelihood", balance, below=1e-9
            )
        rows.append(
            [name, row.output, row.loss_name, str([round(v, 3) for v in best.reshape(-1).tolist()])]
        )
    report.table(
        "Likelihoods and losses",
        columns=["likelihood", "output", "loss", "best constant here"],
        rows=rows,
    )


def check_outliers(report: Report, settings: Settings, targets: dict[str, Tensor]) -> None:
    clean = targets["gaussian"]
    spoilt = torch.cat([clean, torch.full((settings.outliers,), 100.0, dtype=clean.dtype)])
    moves = {
        name: (
            likelihood(name).best_constant(spoilt) - likelihood(name).best_constant(clean)
        ).item()
        for name in ("gaussian", "laplace")
    }
    report.claim(
        f"{settings.outliers} outliers at 100 drag the mean", moves["gaussian"], "by", above=1
    )
    report.claim("and hardly move the median", moves["laplace"], "by", below=0.1)


def run(settings: Settings) -> Report:
    report = Report(
        title="Losses and likelihoods",
        summary=f"Minimizing each of {len(LIKELIHOODS)} losses maximizes a likelihood, verified against "
        "PyTorch's distributions.",
    )
    targets = draw_targets(settings)
    check_rows(report, targets)
    check_outliers(report, settings, targets)
    curves = {name: target for name, target in targets.items() if name != "categorical"}
    report.figure(
        "likelihoods",
        likelihood_curves(curves, grid=torch.linspace(-2, 3.5, 300, dtype=torch.float64)),
        caption="Mean negative log-likelihood of a constant output (solid) and its closed-form optimum "
        "(dashed): mean, median, log-odds, log of the mean.",
    )
    return report


def likelihood_curves(targets: Mapping[str, Tensor], *, grid: Tensor) -> Figure:
    """Draw the mean negative log-likelihood of a constant output, and where it is least.

    Args:
        targets: Targets by the name of their likelihood; scalar outputs only.
        grid: Outputs to draw at, shape ``(G,)``.

    Example:
        >>> figure = likelihood_curves({"gaussian": torch.tensor([0.0, 1.0])}, grid=torch.linspace(-1, 2, 9))
        >>> figure.axes[0].get_title()
        'gaussian'
    """
    if "categorical" in targets:
        raise InvalidValue(
            "likelihood_curves: targets must have scalar outputs, got 'categorical'. Leave it out."
        )
    columns = min(3, len(targets))
    rows = -(-len(targets) // columns)
    figure, axes = new_figure(rows, columns, 3.1 * columns, 2.8 * rows)
    panels = np.ravel(axes)
    for panel, (name, target) in zip(panels, targets.items(), strict=False):
        row = likelihood(name)
        column = grid[:, None].expand(-1, len(target))
        curve = negative_log_likelihood(name, column, target.expand_as(column)).mean(1)
        best = row.best_constant(target).item()
        panel.plot(grid, curve, color=PALETTE[0])
        panel.axvline(best, color=PALETTE[1], linestyle="--", linewidth=1.4)
        panel.set(title=name, xlabel=f"output: {row.output}")
        low, high = float(curve.min()), float(curve.max())
        panel.set_ylim(low - 0.05 * (high - low), low + min(high - low, 4.0))
    for panel in panels[len(targets) :]:
        panel.set_axis_off()
    panels[0].set_ylabel("mean −log p")
    return figure
