"""Figures of linear models: solution sets, convergence, basis functions, likelihoods, class regions."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.linear import Affine, LinearClassifier, likelihood, negative_log_likelihood
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure


def solution_line(
    x: Tensor,
    y: float,
    paths: Mapping[str, Tensor],
    curves: Mapping[str, Tensor],
) -> Figure:
    r"""Draw the line of exact solutions of one equation in two unknowns, and how far descent ends from the shortest.

    Args:
        x: Coefficients of the equation :math:`x^\top w=y`, shape ``(2,)``.
        y: Its right-hand side.
        paths: Weights visited in the plane by label, shape ``(steps + 1, 2)``.
        curves: Distances to the minimum-norm solution of a larger problem by label, one a step.

    Example:
        >>> path = {"from zero": torch.zeros(3, 2)}
        >>> figure = solution_line(torch.tensor([1.0, 1.0]), 1.0, path, {"from zero": torch.ones(5)})
        >>> len(figure.axes)
        2
    """
    figure, (plane, distance) = new_figure(columns=2, width=9.5, height=4.3)
    shortest = y * x / x.square().sum()
    along = torch.stack([-x[1], x[0]]) / x.norm()
    ends = shortest + 4 * torch.stack([-along, along])
    plane.plot(*ends.T.numpy(), color=INK, linewidth=2.2, label="all exact solutions")
    plane.plot(*torch.stack([torch.zeros(2), shortest]).T.numpy(), ":", color=MUTED)
    for colour, (label, path) in zip(PALETTE, paths.items(), strict=False):
        plane.plot(*path.T.numpy(), "o-", color=colour, markersize=3, linewidth=1.2, label=label)
        plane.plot(*path[0].numpy(), "o", markersize=7, color=colour)
    star = {"markersize": 15, "color": PALETTE[4], "markeredgecolor": INK}
    plane.plot(*shortest.numpy(), "*", zorder=5, label="$X^+y$", **star)
    plane.set_aspect("equal")
    plane.set_xlim(-2.4, 2.9)
    plane.set_ylim(-2.4, 2.4)
    plane.set_xlabel("$w_1$")
    plane.set_ylabel("$w_2$")
    plane.set_title("One equation, two unknowns")
    plane.legend(loc="lower left", fontsize=8)
    for label, curve in curves.items():
        distance.plot(curve.numpy(), label=label)
    distance.set_yscale("log")
    distance.set_title("Many unknowns")
    distance.set_xlabel("step")
    distance.set_ylabel("distance to $X^+y$")
    distance.legend()
    return figure


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
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.set_xlabel("step")
    panel.set_ylabel(ylabel)
    panel.legend()
    return figure


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
        panel.set_title(name)
        panel.set_xlabel(f"output: {row.output}")
        low, high = float(curve.min()), float(curve.max())
        panel.set_ylim(low - 0.05 * (high - low), low + min(high - low, 4.0))
    for panel in panels[len(targets) :]:
        panel.set_axis_off()
    panels[0].set_ylabel("mean −log p")
    return figure


def class_regions(
    X: Tensor, y: Tensor, classifiers: Mapping[str, LinearClassifier], *, resolution: int = 300
) -> Figure:
    """Draw the regions of the plane that linear classifiers give to each class.

    Args:
        X: Points, shape ``(N, 2)``.
        y: Labels, shape ``(N,)``.
        classifiers: Fits by label.
        resolution: Points of the grid along each axis.

    Example:
        >>> from gradatim.linear import fit_lda
        >>> X, y = torch.tensor([[0.0, 0.0], [1.0, 0.0], [4.0, 1.0], [5.0, 1.0]]), torch.tensor([0, 0, 1, 1])
        >>> len(class_regions(X, y, {"LDA": fit_lda(X, y)}).axes)
        1
    """
    figure, axes = new_figure(columns=len(classifiers), width=3.4 * len(classifiers), height=3.5)
    X = X.double()
    margin = 0.08 * (X.amax(0) - X.amin(0))
    low, high = (X.amin(0) - margin).tolist(), (X.amax(0) + margin).tolist()
    x1, x2 = (torch.linspace(low[i], high[i], resolution, dtype=X.dtype) for i in (0, 1))
    grid = torch.cartesian_prod(x1, x2)
    classes, indices = torch.unique(y, return_inverse=True)
    colours = PALETTE[: len(classes)]
    for panel, (label, classifier) in zip(np.ravel(axes), classifiers.items(), strict=True):
        region = torch.searchsorted(classes, classifier.predict(grid)).reshape(resolution, -1)
        panel.pcolormesh(
            x1.numpy(), x2.numpy(), region.T.numpy(), cmap=ListedColormap(colours), vmin=-0.5, vmax=len(classes) - 0.5,
            alpha=0.25, linewidth=0, rasterized=True,
        )  # fmt: skip
        for place, colour in enumerate(colours):
            panel.plot(*X[indices == place].T.numpy(), "o", markersize=2.5, color=colour)
        accuracy = (classifier.predict(X) == y).double().mean().item()
        panel.set_title(f"{label}: {accuracy:.1%}")
        panel.grid(False)
        panel.set_xlabel("$x_1$")
    np.ravel(axes)[0].set_ylabel("$x_2$")
    return figure
