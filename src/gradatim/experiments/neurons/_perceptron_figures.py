"""What a perceptron does to its line, and how far its bound is from its mistakes."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

from gradatim.linear.separability import Separation
from gradatim.plots.neurons import BLUE, draw_classes
from gradatim.plots.style import GRID, INK, MUTED, PALETTE, RULE, SEQUENTIAL, new_figure
from gradatim.plots.words import Formula


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
    draw_classes(axes, points, y)
    centre = points.mean(axis=0)
    axes.set_xlim((centre[0] - reach, centre[0] + reach))
    axes.set(
        ylim=(centre[1] - reach, centre[1] + reach),
        xlabel=Formula("$x_1$"),
        ylabel=Formula("$x_2$"),
    )
    axes.set(aspect="equal", title=f"{len(lines)} mistakes, {len(lines)} lines")
    axes.legend(loc="upper left")
    return figure


def hyperplane(X: ArrayLike, y: ArrayLike, weights: ArrayLike, bias: float) -> Figure:
    """Draw a line, its normal, and the signed distances of some points.

    Args:
        X: Points, shape ``(n, 2)``.
        y: Their classes.
        weights: :math:`w`, shape ``(2,)``.
        bias: :math:`b`.

    Example:
        >>> figure = hyperplane([[0.0, 0.0], [2.0, 2.0]], [-1, 1], [1.0, 1.0], -2.0)
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['-1.41', '+1.41', 'w/‖w‖']
    """
    figure, axes = new_figure(width=5.6, height=4.8)
    points, w = np.asarray(X, dtype=float), np.asarray(weights, dtype=float)
    length = float(np.linalg.norm(w))
    unit, distance = w / length, (points @ w + bias) / length
    reach = 1.15 * float(np.abs(points - points.mean(axis=0)).max())
    _draw_line(axes, w, bias, np.array([-4.0, 4.0]) * reach, color=INK, label=Formula("$w\\cdot x+b=0$"))  # fmt: skip
    draw_classes(axes, points, y)
    for k in _apart(points, distance, unit, reach / 3):
        foot = points[k] - distance[k] * unit
        axes.plot(*np.stack([points[k], foot]).T, color=PALETTE[1], linewidth=1.3)
        axes.annotate(f"{distance[k]:+.2f}", (points[k] + foot) / 2, (4, 4), textcoords="offset points", fontsize=8.5, color=INK)  # fmt: skip
    start = points.mean(axis=0) - float((points.mean(axis=0) @ w + bias) / length) * unit
    axes.annotate("w/‖w‖", start, start + 0.3 * reach * unit, arrowprops={"arrowstyle": "<-", "color": PALETTE[2], "linewidth": 2}, color=PALETTE[2], fontsize=10)  # fmt: skip
    centre = points.mean(axis=0)
    axes.set(xlim=(centre[0] - reach, centre[0] + reach), ylim=(centre[1] - reach, centre[1] + reach), aspect="equal")  # fmt: skip
    axes.set(xlabel=Formula("$x_1$"), ylabel=Formula("$x_2$"))
    axes.legend(loc="upper left")
    return figure


def _apart(
    points: NDArray[np.float64],
    distance: NDArray[np.float64],
    unit: NDArray[np.float64],
    gap: float,
) -> list[int]:
    """Places of the points farthest from a line whose feet on it are not near each other, in the order of distance."""
    along, chosen = points @ np.array([-unit[1], unit[0]]), list[int]()
    for k in np.argsort(-np.abs(distance)):
        if all(abs(along[k] - along[j]) > gap for j in chosen if distance[j] * distance[k] > 0):
            chosen.append(int(k))
    return sorted(chosen, key=lambda k: distance[k])


def shifted_line(weights: ArrayLike, bias: float) -> Figure:
    """Draw what a bias does: the line with it, the line without, and the way between them along the normal.

    Args:
        weights: :math:`w`, shape ``(2,)``.
        bias: :math:`b`.

    Example:
        >>> [line.get_label() for line in shifted_line([1.0, 1.0], -1.2).axes[0].lines]
        ['w·x − 1.2 = 0', 'w·x = 0', '|b|/‖w‖ = 0.85']
    """
    figure, axes = new_figure(width=5.0, height=4.4)
    w, along = np.asarray(weights, dtype=float), np.array([-4.0, 4.0])
    foot = -bias * w / (w @ w)
    _draw_line(axes, w, bias, along, color=INK, label=f"w·x {'+' if bias > 0 else '−'} {abs(bias):g} = 0")  # fmt: skip
    _draw_line(axes, w, 0.0, along, color=MUTED, linestyle="--", label="w·x = 0")
    axes.plot([0, foot[0]], [0, foot[1]], ":", color=PALETTE[1], linewidth=2.2, label=f"|b|/‖w‖ = {np.linalg.norm(foot):.2f}")  # fmt: skip
    axes.set(xlim=(-1.5, 2.0), ylim=(-1.5, 2.0), aspect="equal")
    axes.set(xlabel=Formula("$x_1$"), ylabel=Formula("$x_2$"))
    axes.legend(loc="upper right")
    return figure


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
    axes.set(xlabel=Formula("bound $R^2/\\gamma^2$"), ylabel="mistakes made")
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
        panel.set(title=f"{count} point{'s' * (count > 1)}", aspect="equal", xlim=(-1, 1))
        panel.set(ylim=(-1, 1), xlabel=Formula("$w_1$"), xticks=[-1, 0, 1], yticks=[-1, 0, 1])
        panel.grid(False)
    np.ravel(axes)[0].set_ylabel(Formula("$w_2$"))
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
