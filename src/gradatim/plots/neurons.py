"""Figures of threshold neurons: networks, separability, mistakes, regions, Cover's count."""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike, NDArray

from gradatim.linear.counting import cover_count
from gradatim.linear.separability import Separation
from gradatim.neurons import HebbianRun, ThresholdNetwork
from gradatim.plots.style import GRID, INK, MUTED, PALETTE, RULE, SEQUENTIAL, new_figure

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


def separability_grid(
    panels: Mapping[str, tuple[Sequence[int], Separation | None]], *, columns: int = 4
) -> Figure:
    """Draw Boolean functions of two inputs with their widest line, or the point both classes share.

    Args:
        panels: By title, the values on (0,0), (0,1), (1,0), (1,1) and the result of ``separate``, or
            ``None`` for a constant.
        columns: Panels in a row.

    Example:
        >>> from gradatim.linear import separate
        >>> corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> figure = separability_grid({"OR": ((0, 1, 1, 1), separate(corners, [0, 1, 1, 1]))})
    """
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new_figure(rows, columns, 1.75 * columns + 0.2, 1.85 * rows + 0.1)
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    for panel, (title, (values, found)) in zip(np.ravel(axes), panels.items(), strict=False):
        if found is not None and found.separable:
            _shade_sides(panel, found)
        elif found is not None and found.shared_point is not None:
            for label, colour in ((0, ORANGE), (1, BLUE)):
                ends = corners[np.asarray(values) == label]
                panel.plot(*ends.T, color=colour, linestyle="--", linewidth=1.4)
            panel.plot(*found.shared_point, "X", color=INK, markersize=9, zorder=4)
        _draw_classes(panel, corners, values, size=70)
        panel.set_title(title, fontsize=9.5, pad=4, color=INK if _splits(found) else ORANGE)
        panel.set(
            xlim=(-0.45, 1.45), ylim=(-0.45, 1.45), xticks=[0, 1], yticks=[0, 1], aspect="equal"
        )
        panel.grid(False)
    for panel in np.ravel(axes)[len(panels) :]:
        panel.set_axis_off()
    return figure


def _splits(found: Separation | None) -> bool:
    return found is None or found.separable


def _shade_sides(axes: Axes, found: Separation) -> None:
    assert found.weights is not None
    assert found.bias is not None
    grid = np.linspace(-0.45, 1.45, 200)
    a, b = np.meshgrid(grid, grid)
    distance = found.weights[0] * a + found.weights[1] * b + found.bias
    axes.contourf(a, b, distance > 0, levels=[-0.5, 0.5, 1.5], cmap=TINTS)
    axes.contour(a, b, distance, levels=[0.0], colors=INK, linewidths=1.4)


def _draw_classes(axes: Axes, X: ArrayLike, classes: ArrayLike, *, size: float = 34.0) -> None:
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
        _draw_classes(panel, points, y, size=90)
        panel.plot(*points[wrong].T, "x", color=INK, markersize=11, markeredgewidth=2, zorder=4)
        panel.set_title(title, fontsize=10)
        panel.set(aspect="equal", xlim=(low[0], high[0]), ylim=(low[1], high[1]))
        for axis in (panel.xaxis, panel.yaxis):
            axis.set_major_locator(MaxNLocator(3, integer=True))
        panel.grid(False)
    for panel in np.ravel(axes)[len(panels) :]:
        panel.set_axis_off()
    return figure


def perceptron_path(X: ArrayLike, y: ArrayLike, path: ArrayLike, found: Separation) -> Figure:
    """Draw the lines a perceptron went through, the one it stopped at and the widest one.

    Args:
        X: Points, shape ``(n, 2)``.
        y: Their classes.
        path: Weights and intercept after each update, shape ``(updates + 1, 3)``.
        found: The result of ``separate``.

    Example:
        >>> from gradatim.linear import separate
        >>> from gradatim.neurons import Perceptron
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
        >>> path = Perceptron().fit(X, y).weights_path_
        >>> figure = perceptron_path(X, y, path, separate(X, y))
    """
    figure, axes = new_figure(width=5.6, height=4.6)
    points, lines = np.asarray(X, dtype=float), np.asarray(path)[1:]
    reach = 1.1 * float(np.abs(points - points.mean(axis=0)).max())
    along = np.array([-4.0, 4.0]) * reach
    shades = SEQUENTIAL(np.linspace(0.25, 0.75, max(len(lines) - 1, 1)))
    for colour, line in zip(shades, lines[:-1], strict=False):
        _draw_line(axes, line[:2], line[2], along, color=colour, linewidth=1.0)
    _draw_line(axes, lines[-1, :2], lines[-1, 2], along, color=INK, label="where it stopped")
    if found.weights is not None and found.bias is not None:
        style = {"color": PALETTE[2], "linestyle": "--", "label": "widest margin"}
        _draw_line(axes, found.weights, found.bias, along, **style)
    _draw_classes(axes, points, y)
    centre = points.mean(axis=0)
    axes.set(
        xlim=(centre[0] - reach, centre[0] + reach),
        ylim=(centre[1] - reach, centre[1] + reach),
        xlabel="$x_1$",
        ylabel="$x_2$",
        aspect="equal",
    )
    axes.set_title(f"{len(lines)} mistakes, {len(lines)} lines")
    axes.legend(loc="upper left")
    return figure


def _draw_line(
    axes: Axes, weights: ArrayLike, bias: float, along: NDArray[np.float64], **style: Any
) -> None:
    normal = np.asarray(weights, dtype=float)
    length = float(normal @ normal)
    if length > 0:
        foot = -bias * normal / length
        ends = foot + np.outer(along, [-normal[1], normal[0]]) / np.sqrt(length)
        axes.plot(*ends.T, zorder=2, **style)


def mistakes_against_bound(bounds: ArrayLike, mistakes: ArrayLike) -> Figure:
    """Draw mistakes made against Novikoff's bound, both logarithmic; nothing may lie above the diagonal.

    Args:
        bounds: One bound for each run.
        mistakes: Mistakes made in it.

    Example:
        >>> figure = mistakes_against_bound([10, 100], [4, 30])
    """
    figure, axes = new_figure(width=5.6, height=4.4)
    high = 2 * float(np.max(np.asarray(bounds)))
    axes.fill_between([1, high], [1, high], [high, high], color=GRID, linewidth=0)
    axes.plot([1, high], [1, high], color=INK, linewidth=1.2)
    axes.scatter(bounds, mistakes, s=16, color=BLUE, alpha=0.6, linewidths=0)
    axes.set(xscale="log", yscale="log", xlim=(1, high), ylim=(0.8, high))
    axes.set(xlabel="bound $R^2/\\gamma^2$", ylabel="mistakes made")
    axes.text(0.04, 0.94, "impossible", transform=axes.transAxes, color=MUTED, va="top")
    return figure


def version_space(X: ArrayLike, y: ArrayLike, counts: Sequence[int]) -> Figure:
    """Draw, in the plane of the weights, how many points each weight vector gets wrong as points are added.

    Args:
        X: Points, shape ``(n, 2)``; classifiers have no intercept.
        y: Their classes; weights point towards the larger.
        counts: How many of the points each panel uses.

    Example:
        >>> figure = version_space([[1, 0], [0, 1], [1, 2]], [1, -1, 1], counts=(1, 3))
    """
    points = np.asarray(X, dtype=float) * np.where(np.asarray(y) == np.max(y), 1, -1)[:, None]
    figure, axes = new_figure(1, len(counts), 2.9 * len(counts), 3.0, sharey=True)
    grid = np.linspace(-1, 1, 300)
    a, b = np.meshgrid(grid, grid)
    for panel, count in zip(np.ravel(axes), counts, strict=True):
        rows = points[:count]
        wrong = (rows[:, 0, None, None] * a + rows[:, 1, None, None] * b <= 0).sum(axis=0)
        panel.contourf(
            a, b, wrong == 0, levels=[-0.5, 0.5, 1.5], cmap=ListedColormap(["white", "#BFE5D8"])
        )
        for row in rows:
            _draw_line(panel, row, 0.0, np.array([-2.0, 2.0]), color=RULE, linewidth=1.0)
        panel.set_title(f"{count} point{'s' * (count > 1)}")
        panel.set(aspect="equal", xlim=(-1, 1), ylim=(-1, 1), xlabel="$w_1$")
        panel.set(xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        panel.grid(False)
    np.ravel(axes)[0].set_ylabel("$w_2$")
    return figure


def hebbian_errors(runs: Mapping[str, HebbianRun], *, epochs: int) -> Figure:
    """Draw how many samples each run of Hebb's rule gets wrong after each epoch.

    Args:
        runs: By label; a run that ended early stays at its last value.
        epochs: How far to draw.

    Example:
        >>> from gradatim.neurons import hebbian_learning
        >>> figure = hebbian_errors({"or": hebbian_learning([[0], [1]], [0, 1])}, epochs=5)
    """
    figure, axes = new_figure(width=6.5, height=3.6)
    for (label, run), marker in zip(runs.items(), cycle("os^D"), strict=False):
        errors = [*run.errors, *[run.errors[-1]] * epochs][:epochs]
        axes.plot(range(1, epochs + 1), errors, marker=marker, markersize=5, label=label)
    axes.set(xlabel="epoch", ylabel="samples wrong", ylim=(-0.2, None))
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.legend()
    return figure


def cover_fraction(
    dims: Sequence[int], measured: Mapping[int, Sequence[tuple[int, int]]] | None = None
) -> Figure:
    """Draw the share of labelings that hyperplanes can make against points per dimension.

    Args:
        dims: Dimensions to draw Cover's formula for.
        measured: By dimension, numbers of points and of labelings found by enumeration.

    Example:
        >>> figure = cover_fraction([2, 50], {2: [(3, 6), (4, 8)]})
    """
    figure, axes = new_figure(width=6.5, height=4.2)
    for d, colour in zip(dims, cycle(PALETTE), strict=False):
        n = np.arange(1, 4 * d + 1)
        share = [cover_count(int(k), d) / 2 ** int(k) for k in n]
        axes.plot(n / d, share, color=colour, label=f"d = {d}")
        found = (measured or {}).get(d, ())
        axes.plot([k / d for k, _ in found], [c / 2**k for k, c in found], "o", color=colour)
    axes.axvline(2.0, color=MUTED, linewidth=1.0, linestyle=":")
    axes.axhline(0.5, color=MUTED, linewidth=1.0, linestyle=":")
    axes.set(xlabel="points per dimension, n / d", ylabel="share of all labelings", xlim=(0, 4))
    axes.legend()
    return figure
