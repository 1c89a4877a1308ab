"""Figures of threshold neurons: networks and the regions they decide."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from gradatim.neurons import ThresholdNetwork
from gradatim.plots.style import INK, PALETTE, new_figure

BLUE, ORANGE = PALETTE[0], PALETTE[1]
TINTS = ListedColormap(["#FBE3D3", "#D6E8F4"])


def threshold_network(
    network: ThresholdNetwork,
    x: Sequence[int] | None = None,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
) -> Figure:
    """Draw units with their thresholds and connections by sign; with an input, the units it makes fire.

    Args:
        network: At most a few dozen units can be told apart.
        x: An input of zeros and ones; units that fire are filled.
        inputs: Names of the inputs.
        outputs: Names of the outputs, written beside them.

    Example:
        >>> from gradatim.neurons import boolean_network
        >>> figure = threshold_network(boolean_network([0, 1, 1, 0]), (0, 1), inputs=("a", "b"))
    """
    sizes = [network.layers[0][0].shape[1], *(len(thresholds) for _, thresholds in network.layers)]
    names = [*inputs, *(f"x{i + 1}" for i in range(len(inputs), sizes[0]))]
    words = [
        names,
        *(
            [f"≥ {t:g}".replace("-", "−") for t in thresholds.tolist()]
            for _, thresholds in network.layers
        ),
    ]
    fires = [torch.zeros(size) for size in sizes]
    if x is not None:
        fires = network.activity(torch.as_tensor(x))
    figure, axes = new_figure(
        width=0.6 + 1.9 * len(sizes), height=max(2.4, 0.66 * max(sizes) + 0.8)
    )
    places = [np.arange(size)[::-1] - (size - 1) / 2 for size in sizes]
    for column, (weights, _) in enumerate(network.layers):
        _draw_connections(axes, weights.numpy(), column, places[column], places[column + 1])
    for column, (heights, labels, states) in enumerate(zip(places, words, fires, strict=True)):
        for y, label, state in zip(heights, labels, states.tolist(), strict=True):
            _draw_unit(axes, column, y, label, fires=state > 0, square=column == 0)
    for y, name in zip(places[-1], outputs, strict=False):
        axes.text(len(sizes) - 0.76, y, name, va="center", color=INK, fontsize=10)
    axes.set_axis_off()
    axes.set_xlim(-0.25, len(sizes) - 0.75 + 0.3 * bool(outputs))
    axes.set_ylim(-max(sizes) / 2 - 0.1, max(sizes) / 2 + 0.1)
    keys = [
        Line2D([], [], color=c, linewidth=1.8, label=w)
        for c, w in ((BLUE, "positive weight"), (ORANGE, "negative weight"))
    ]
    figure.legend(handles=keys, loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    return figure


def _draw_connections(
    axes: Axes, weights: NDArray[np.float32], column: int, left: ArrayLike, right: ArrayLike
) -> None:
    starts, ends = np.asarray(left), np.asarray(right)
    for j, i in zip(*np.nonzero(weights), strict=True):
        colour = BLUE if weights[j, i] > 0 else ORANGE
        axes.plot(
            [column, column + 1], [starts[i], ends[j]], color=colour, linewidth=1.3, alpha=0.8
        )


def _draw_unit(axes: Axes, x: float, y: float, label: str, *, fires: bool, square: bool) -> None:
    axes.plot(
        x,
        y,
        "s" if square else "o",
        markersize=33,
        markerfacecolor=PALETTE[4] if fires else "white",
        markeredgecolor=INK,
        markeredgewidth=1.2,
        zorder=3,
    )
    axes.text(x, y, label, ha="center", va="center", color=INK, fontsize=9, zorder=4)


def draw_classes(axes: Axes, X: ArrayLike, classes: ArrayLike, *, size: float = 34.0) -> None:
    """Second class as blue discs, first as orange rings."""
    points, labels = np.asarray(X, dtype=float), np.asarray(classes)
    high = labels == np.unique(labels)[-1] if len(np.unique(labels)) > 1 else labels > 0
    x, y = points.T
    axes.scatter(x[high], y[high], s=size, color=BLUE, edgecolors="white", zorder=3)
    rings = axes.scatter(x[~high], y[~high], s=size, color=ORANGE, linewidths=2, zorder=3)
    rings.set_facecolor("white")


def decision_regions(
    panels: Mapping[str, Callable[[NDArray[np.float64]], ArrayLike]],
    X: ArrayLike,
    y: ArrayLike,
    *,
    columns: int = 3,
    pad: float = 0.5,
) -> Figure:
    """Draw where classifiers of the plane answer with the second class, and the points they must tell apart.

    Args:
        panels: By title, a function from points ``(n, 2)`` to activations, positive for the second class.
        X: Points, shape ``(n, 2)``.
        y: Their classes, two values.
        columns: Panels in a row.
        pad: How far the panels reach beyond the points.

    Example:
        >>> figure = decision_regions({"x1 > 1/2": lambda x: x[:, 0] - 0.5}, [[0, 0], [1, 0]], [0, 1])
    """
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new_figure(rows, columns, 2.75 * columns + 0.2, 2.75 * rows + 0.2)
    points = np.asarray(X, dtype=float)
    low, high = points.min(axis=0) - pad, points.max(axis=0) + pad
    a, b = np.meshgrid(np.linspace(low[0], high[0], 240), np.linspace(low[1], high[1], 240))
    grid = np.column_stack([a.ravel(), b.ravel()])
    for panel, (title, score) in zip(np.ravel(axes), panels.items(), strict=False):
        answer = (np.asarray(score(grid)).reshape(a.shape) > 0).astype(float)
        panel.contourf(a, b, answer, levels=[-0.5, 0.5, 1.5], cmap=TINTS)
        if 0 < answer.mean() < 1:
            panel.contour(a, b, answer, levels=[0.5], colors=INK, linewidths=1.2)
        wrong = np.asarray(score(points)) > 0
        wrong = wrong != (np.asarray(y) == np.unique(y)[-1])
        draw_classes(panel, points, y, size=90)
        panel.plot(*points[wrong].T, "x", color=INK, markersize=11, markeredgewidth=2, zorder=4)
        panel.set_title(title, fontsize=10)
        panel.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_locator(MaxNLocator(3, integer=True))
        panel.grid(False)
    for panel in np.ravel(axes)[len(panels) :]:
        panel.set_axis_off()
    return figure
