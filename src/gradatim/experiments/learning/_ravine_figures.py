"""Paths down a valley, and how steps grow with its narrowness."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.instruments import VectorObjective
from gradatim.plots.style import INK, PALETTE, SEQUENTIAL, new_figure
from gradatim.plots.words import Formula

Box = tuple[tuple[float, float], tuple[float, float]]


def valley_paths(
    function: VectorObjective,
    box: Box,
    paths: Mapping[str, torch.Tensor],
    *,
    minimum: tuple[float, float],
    title: str = "",
) -> Figure:
    """Draw paths of optimizers over the contours of a function of two variables, one panel each.

    Args:
        function: Of a vector of two, in operations that ``torch.func.vmap`` knows.
        box: Ranges of the two variables.
        paths: Points by label, shape ``(T + 1, 2)``.
        minimum: Where to put the star.
        title: Heading.

    Example:
        >>> path = torch.tensor([[1.0, 1.0], [0.0, 0.0]])
        >>> figure = valley_paths(lambda w: w.square().sum(), ((-2, 2), (-2, 2)), {"GD": path}, minimum=(0, 0))
        >>> figure.axes[0].get_title()
        'GD'
    """
    if not paths:
        raise InvalidValue("valley_paths: paths must hold at least one path, got none.")
    columns = min(len(paths), 2)
    rows = -(-len(paths) // columns)
    figure, axes = new_figure(
        rows, columns, 4.6 * columns, 2.3 * rows + 0.3, sharex=True, sharey=True
    )
    panels = np.ravel(axes)
    grid = _grid(function, box)
    for place, (panel, (label, path)) in enumerate(zip(panels, paths.items(), strict=False)):
        _draw_path(panel, grid, box, path.detach().cpu().numpy(), PALETTE[1], minimum)
        panel.set_title(label, fontsize=10)
        if place + columns >= len(paths):
            panel.set_xlabel(Formula("$w_1$"))
        if place % columns == 0:
            panel.set_ylabel(Formula("$w_2$"))
    for panel in panels[len(paths) :]:
        panel.set_axis_off()
    if title:
        figure.suptitle(title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    return figure


def _grid(function: VectorObjective, box: Box) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    w1, w2 = (torch.linspace(low, high, 181, dtype=torch.float64) for low, high in box)
    points = torch.stack(torch.meshgrid(w1, w2, indexing="xy"), dim=-1).reshape(-1, 2)
    with torch.no_grad():
        values = torch.func.vmap(function)(points).reshape(181, 181)
    return w1.numpy(), w2.numpy(), values.numpy()


def _draw_path(
    panel: Axes,
    grid: tuple[np.ndarray, np.ndarray, np.ndarray],
    box: Box,
    path: np.ndarray,
    color: str,
    minimum: tuple[float, float],
) -> None:
    w1, w2, values = grid
    low, high = values.min(), values.max()
    levels = low + (high - low) * np.linspace(0, 1, 16) ** 3
    panel.contourf(w1, w2, values, levels=levels, cmap=SEQUENTIAL.reversed(), alpha=0.75)
    panel.contour(w1, w2, values, levels=levels, colors="white", linewidths=0.5, linestyles="solid")
    panel.plot(*path.T, "-", color=color, linewidth=1.3)
    panel.plot(*path.T, "o", color=color, markersize=2.6, markeredgewidth=0)
    panel.plot(*path[0], "o", color="white", markersize=6, markeredgecolor=INK)
    panel.plot(*minimum, "*", color="white", markersize=12, markeredgecolor=INK)
    panel.set_xlim(*box[0])
    panel.set_ylim(*box[1])
    panel.grid(False)


def power_laws(
    x: Sequence[float], curves: Mapping[str, ArrayLike], *, xlabel: str, ylabel: str
) -> Figure:
    """Draw points on logarithmic axes with the power law fitted to each curve.

    Args:
        x: Positive abscissas.
        curves: Positive values by label, one for each abscissa.
        xlabel: What ``x`` is.
        ylabel: What the curves are.

    Example:
        >>> figure = power_laws([1, 10], {"square": [1, 100]}, xlabel="x", ylabel="y")
        >>> figure.axes[0].get_legend().get_texts()[0].get_text()
        'square: power 2.00'
    """
    figure, panel = new_figure(width=6.5, height=4.0)
    log_x = np.log(np.asarray(x, dtype=float))
    for place, (label, curve) in enumerate(curves.items()):
        color, values = PALETTE[place % len(PALETTE)], np.asarray(curve, dtype=float)
        slope, height = np.polyfit(log_x, np.log(values), 1)
        panel.plot(x, values, "o", color=color, markersize=7, label=f"{label}: power {slope:.2f}")
        panel.plot(x, np.exp(height + slope * log_x), "--", color=color, linewidth=1.3)
    panel.set(xscale="log", yscale="log", xlabel=xlabel, ylabel=ylabel)
    panel.legend()
    return figure
