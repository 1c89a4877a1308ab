"""Figures of worlds and agents: values and policies on a map, learning curves over seeds, frames of an episode."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue, require
from gradatim.evaluation.bootstrap import bootstrap_band
from gradatim.plots.style import INK, MUTED, PALETTE, SEQUENTIAL, new_figure

COLOURS = {"#": "#33383F", "G": "#8CCC99", "x": "#E69E8C", "S": "#CCDDF2"}
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


class GridPanel(NamedTuple):
    """One map.

    Args:
        title: Heading.
        rows: The map, a letter for each cell, as ``Maze().rows``.
        values: Worth of each cell, drawn as blue, shape ``(S,)``.
        policy: Move of each cell, drawn as an arrow, shape ``(S,)``.
        path: Cells that were walked, in order.
    """

    title: str
    rows: Sequence[str]
    values: ArrayLike | None = None
    policy: ArrayLike | None = None
    path: Sequence[int] = ()


def grid_panels(panels: Sequence[GridPanel], *, columns: int = 3, size: float = 3.4) -> Figure:
    """Draw maps side by side, with values as colours, policies as arrows and walks as lines.

    Args:
        panels: What each shows.
        columns: Most maps in a row.
        size: Inches across one map.

    Example:
        >>> panel = GridPanel("A way out", ["S.", "#G"], [0.5, 1.0, 0.0, 0.0], [1, 2, 0, 0])
        >>> grid_panels([panel]).axes[0].get_title()
        'A way out'
    """
    if not panels:
        raise InvalidValue("grid_panels: panels must hold at least one, got none.")
    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    shape = len(panels[0].rows), len(panels[0].rows[0])
    figure, axes = new_figure(rows, columns, size * columns, rows * (size * shape[0] / shape[1] + 0.4))  # fmt: skip
    cells = list(np.ravel(axes))
    for axis, panel in zip(cells, panels, strict=False):
        _draw_map(axis, panel)
    for axis in cells[len(panels) :]:
        axis.set_axis_off()
    return figure


def _draw_map(axis: Axes, panel: GridPanel) -> None:
    height, width = len(panel.rows), len(panel.rows[0])
    letters = "".join(panel.rows)
    if panel.values is not None:
        values = np.asarray(panel.values, dtype=float).reshape(height, width)
        shown = np.array([letter not in "#Gx" for letter in letters]).reshape(height, width)
        axis.imshow(np.where(shown, values, np.nan), cmap=SEQUENTIAL, alpha=0.85)
    for s, letter in enumerate(letters):
        i, j = divmod(s, width)
        is_covered = letter == "." or (letter == "S" and panel.values is not None)
        if not is_covered:
            axis.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, color=COLOURS[letter], linewidth=0))
        if letter in "SG":
            axis.text(j, i, letter, ha="center", va="center", color=INK, fontsize=9, fontweight="bold")  # fmt: skip
        if panel.policy is not None and letter == ".":
            down, right = STEPS[int(np.asarray(panel.policy)[s])]
            axis.annotate("", (j + 0.32 * right, i + 0.32 * down), (j - 0.32 * right, i - 0.32 * down), arrowprops={"arrowstyle": "-|>", "color": INK, "linewidth": 0.9, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 7})  # fmt: skip
    if panel.path:
        down_to, right_to = np.divmod(np.asarray(panel.path), width)
        axis.plot(
            right_to, down_to, color=PALETTE[1], linewidth=2.4, alpha=0.85, solid_capstyle="round"
        )
    axis.set(title=panel.title, xlim=(-0.5, width - 0.5), ylim=(height - 0.5, -0.5), xticks=[], yticks=[])  # fmt: skip
    axis.set_aspect("equal")
    axis.grid(False)


class SeedCurves(NamedTuple):
    """Learning curves of several seeds.

    Args:
        steps: Where they were judged, shape ``(points,)``.
        returns: A row for each seed, shape ``(seeds, points)``.
    """

    steps: ArrayLike
    returns: ArrayLike


def return_curves(
    curves: Mapping[str, SeedCurves],
    *,
    title: str = "",
    xlabel: str = "steps in the world",
    ylabel: str = "return of evaluation episodes",
    best: float | None = None,
    random: float | None = None,
) -> Figure:
    """Draw interquartile means over seeds with their bootstrap intervals, and what the best and a random policy get.

    Args:
        curves: By label; at least five seeds each.
        title: Heading.
        xlabel: What the horizontal axis is.
        ylabel: What the vertical axis is.
        best: The best return that is possible, drawn dashed.
        random: The return of a random policy, drawn dotted.

    Example:
        >>> one = SeedCurves([0, 10], [[0.0, 1.0]] * 5)
        >>> return_curves({"PPO": one}, best=1.0).axes[0].get_legend().get_texts()[0].get_text()
        'PPO'
    """
    require(len(curves) > 0, "return_curves: curves must hold at least one", "none")
    figure, axis = new_figure(width=7.0, height=4.0)
    for (label, curve), colour in zip(curves.items(), cycle(PALETTE), strict=False):
        steps, band = np.asarray(curve.steps), bootstrap_band(curve.returns)
        axis.plot(steps, band.mean, color=colour, label=label, marker="o", markersize=3)
        axis.fill_between(steps, band.low, band.high, color=colour, alpha=0.18, linewidth=0)
    for value, style, label in ((best, "--", "best possible"), (random, ":", "random policy")):
        if value is not None:
            axis.axhline(value, color=MUTED, linestyle=style, linewidth=1.4, label=label)
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set(title=title, xlabel=xlabel, ylabel=ylabel)
    axis.legend()
    return figure


def pole_frames(states: ArrayLike, titles: Sequence[str]) -> Figure:
    """Draw moments of an episode with a pole on a cart.

    Args:
        states: Place, speed, angle and spin at each moment, shape ``(frames, 4)``.
        titles: Words above each.

    Example:
        >>> len(pole_frames([[0.0, 0.0, 0.1, 0.0]] * 3, ["1", "2", "3"]).axes)
        3
    """
    rows = np.asarray(states, dtype=float)
    require(rows.ndim == 2 and rows.shape[1] == 4 and len(rows) == len(titles), "pole_frames: states must have shape (frames, 4), with a title each", f"{rows.shape} and {len(titles)} titles")  # fmt: skip
    figure, axes = new_figure(1, len(rows), 1.45 * len(rows), 1.5)
    for axis, (x, _, angle, _), title in zip(np.ravel(axes), rows, titles, strict=True):
        axis.axhline(0, color=MUTED, linewidth=1)
        axis.add_patch(Rectangle((x - 0.45, -0.18), 0.9, 0.36, color=INK))
        axis.plot([x, x + 1.6 * np.sin(angle)], [0.1, 0.1 + 1.6 * np.cos(angle)], color=PALETTE[1], linewidth=4, solid_capstyle="round")  # fmt: skip
        axis.set(xlim=(-2.4, 2.4), ylim=(-0.4, 2.1), xticks=[], yticks=[])
        axis.set_title(title, fontsize=8, fontweight="normal")
        axis.set_aspect("equal")
        axis.grid(False)
    return figure
