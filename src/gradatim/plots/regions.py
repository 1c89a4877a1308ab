"""Figures of linear regions: the partition of the plane, the pieces of a line."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, MUTED, PALETTE, RULE, new_figure
from gradatim.theory import Regions

# blue, sky, green, amber, red, pink and back to blue: a direction is a place on the wheel
WHEEL = LinearSegmentedColormap.from_list("directions", [PALETTE[i] for i in (0, 5, 2, 4, 1, 3, 0)])


def region_maps(
    panels: Mapping[str, Regions],
    *,
    points: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    level: float | None = 0.0,
    columns: int = 3,
) -> Figure:
    """Draw partitions of the plane, each cell coloured by the direction in which the network rises.

    Paler means flatter, grey means constant; the dark line is where the output crosses ``level``.

    Args:
        panels: Two-dimensional regions by title; the first output is drawn, or the difference of two.
        points: Data to lay over every panel, shape ``(N, 2)``.
        labels: Their classes, 0 or 1, shape ``(N,)``.
        level: Of the decision boundary; ``None`` draws none.
        columns: Most panels in a row.

    Example:
        >>> from gradatim.theory import count_regions, xor_network
        >>> square = count_regions(xor_network(), ((-1, 2), (-1, 2)))
        >>> len(region_maps({"XOR": square}).axes)
        1
    """
    flat = [name for name, regions in panels.items() if len(regions.domain) != 2]
    if flat or not panels:
        raise InvalidValue(
            f"region_maps: panels must be two-dimensional regions by title, got {flat or panels!r}."
        )
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new_figure(rows, columns, 3.5 * columns, 3.6 * rows)
    cells = np.ravel(axes)
    for axis, (title, regions) in zip(cells, panels.items(), strict=False):
        _draw_map(axis, regions, level)
        if points is not None:
            _draw_points(axis, np.asarray(points), labels)
        axis.set_title(title)
    for axis in cells[len(panels) :]:
        axis.set_axis_off()
    return figure


def _draw_map(axis: Axes, regions: Regions, level: float | None) -> None:
    axis.add_collection(
        PolyCollection(
            list(regions.vertices),
            facecolors=_colours(regions),
            edgecolors="white",
            linewidths=0.8 if regions.count < 100 else 0.25,
        )
    )
    if level is not None and regions.offsets.shape[1] <= 2:
        boundary = regions.decision_boundary(level)
        axis.add_collection(
            LineCollection(list(boundary), colors=INK, linewidths=2.4, capstyle="round")
        )
    axis.grid(False)
    axis.set(xlim=regions.domain[0], ylim=regions.domain[1])
    axis.set_aspect("equal", adjustable="box")


def _colours(regions: Regions) -> NDArray[np.float64]:
    """Hue by the direction of the slope, strength by its size relative to the steep cells."""
    slope = regions.weights[:, -1]
    if regions.weights.shape[1] == 2:
        slope = slope - regions.weights[:, 0]
    size = np.hypot(slope[:, 0], slope[:, 1])
    steep = np.quantile(size, 0.9) or 1.0
    hue = WHEEL(np.arctan2(slope[:, 1], slope[:, 0]) / (2 * np.pi) % 1.0)[:, :3]
    strength = 0.18 + 0.62 * np.clip(size / steep, 0.0, 1.0)[:, None]
    colours = 1.0 - strength * (1.0 - hue)
    colours[size == 0.0] = to_rgb(RULE)
    return colours


def _draw_points(axis: Axes, points: NDArray[np.float64], labels: ArrayLike | None) -> None:
    classes = np.zeros(len(points)) if labels is None else np.asarray(labels)
    for kind, (colour, marker) in enumerate(((PALETTE[0], "o"), (PALETTE[1], "s"))):
        x, y = points[classes == kind].T
        axis.plot(x, y, marker, color=colour, markersize=4.5, markeredgecolor="white", mew=0.6)


def linear_pieces(panels: Mapping[str, Regions], *, columns: int = 3) -> Figure:
    """Draw networks of one input as what they are: straight pieces that meet at breakpoints.

    Args:
        panels: One-dimensional regions by title; the first output is drawn.
        columns: Most panels in a row.

    Example:
        >>> from gradatim.theory import count_regions, sawtooth_network
        >>> tooth = count_regions(sawtooth_network(2), [(0, 1)])
        >>> figure = linear_pieces({"two layers": tooth})
        >>> len(figure.axes[0].lines[1].get_xdata())  # breakpoints
        3
    """
    flat = [name for name, regions in panels.items() if len(regions.domain) != 1]
    if flat or not panels:
        raise InvalidValue(
            f"linear_pieces: panels must be one-dimensional regions by title, got {flat or panels!r}."
        )
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    figure, axes = new_figure(rows, columns, 3.3 * columns, 2.7 * rows, sharex=True, sharey=True)
    cells = np.ravel(axes)
    for axis, (title, regions) in zip(cells, panels.items(), strict=False):
        values = (
            regions.weights[:, :1] * regions.vertices[..., 0][:, None]
            + regions.offsets[:, :1, None]
        )
        x, y = regions.vertices[..., 0], values[:, 0]  # (count, 2)
        axis.plot(x.ravel(), y.ravel(), color=PALETTE[0])
        axis.plot(regions.breakpoints, y[1:, 0], "o", color=PALETTE[1], markersize=3.5)
        axis.set_title(title)
        axis.tick_params(labelcolor=MUTED)
    for axis in cells[len(panels) :]:
        axis.set_axis_off()
    return figure
