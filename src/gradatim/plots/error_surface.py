"""Figures of error surfaces over two weights, with the paths that descent takes."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from gradatim.plots.style import INK, PALETTE, SEQUENTIAL, new_figure
from gradatim.plots.words import Formula


class SurfacePanel(NamedTuple):
    """One panel: a surface over a box, paths of shape ``(steps + 1, 2)`` by label, points to mark.

    Labels that start with an underscore stay out of the legend.
    """

    title: str
    surface: Callable[[Tensor], Tensor]
    box: tuple[tuple[float, float], tuple[float, float]]
    paths: Mapping[str, Tensor]
    points: Tensor | None = None


def error_surfaces(panels: Sequence[SurfacePanel]) -> Figure:
    """Draw contours of error surfaces and the paths of gradient descent on them.

    Args:
        panels: What to draw, from left to right.

    Example:
        >>> from gradatim.linear import bowl, descent_path
        >>> path = descent_path(bowl, torch.zeros(2), lr=0.1, steps=9)
        >>> panel = SurfacePanel("bowl", bowl, ((-1, 4), (-3, 1)), {"path": path})
        >>> error_surfaces([panel]).axes[0].get_title()
        'bowl'
    """
    figure, axes = new_figure(columns=len(panels), width=3.9 * len(panels), height=4.1)
    for axis, panel in zip(np.ravel(axes), panels, strict=True):
        _draw(axis, panel)
    return figure


def _draw(axis: Axes, panel: SurfacePanel) -> None:
    (low1, high1), (low2, high2) = panel.box
    w1, w2 = torch.linspace(low1, high1, 241), torch.linspace(low2, high2, 241)
    grid = torch.stack(torch.meshgrid(w1, w2, indexing="xy"), dim=-1)  # (241, 241, 2)
    with torch.inference_mode():
        error = panel.surface(grid).numpy()
    # Levels spaced by the square root of the error show the valley and the slopes alike.
    levels = error.min() + (error.max() - error.min()) * np.linspace(0, 1, 22) ** 2
    axis.contourf(w1, w2, error, levels=levels, cmap=SEQUENTIAL.reversed(), alpha=0.85)
    axis.contour(w1, w2, error, levels=levels, colors="white", linewidths=0.5, linestyles="solid")
    colours = ("#FFFFFF", PALETTE[4], PALETTE[1], "#111111")
    for place, (label, path) in enumerate(panel.paths.items()):
        colour = colours[place % len(colours)] if not label.startswith("_") else PALETTE[4]
        x, y = path.T.numpy()
        axis.plot(x, y, "o-", color=colour, label=label, ms=3.2, lw=1.3, mec=INK, mew=0.3)
    if panel.points is not None:
        axis.plot(*panel.points.T.numpy(), "*", ms=13, color=PALETTE[1], mec="white", zorder=4)
    axis.set(xlim=(low1, high1), ylim=(low2, high2))
    axis.grid(False)
    axis.set(title=panel.title, xlabel=Formula("$w_1$"), ylabel=Formula("$w_2$"))
    if any(not label.startswith("_") for label in panel.paths):
        legend = axis.legend(loc="lower right", frameon=True, framealpha=0.85, fontsize=8)
        legend.get_frame().set(facecolor="#DDE3EA", edgecolor="none")
