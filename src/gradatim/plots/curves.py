"""Curves side by side, each panel with its own axes."""

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import MUTED, new_figure

Curve = tuple[ArrayLike, ArrayLike]


class CurvePanel(NamedTuple):
    """What one panel shows.

    Args:
        title: Heading.
        xlabel: What the horizontal axis is.
        ylabel: What the vertical axis is.
        curves: Positions and values by label, drawn as lines with markers while points are few.
        guides: Positions and values by label, drawn dashed: theory, bounds, chance.
        is_log_x: Whether the horizontal axis is logarithmic.
        is_log_y: Whether the vertical axis is logarithmic.
    """

    title: str
    xlabel: str
    ylabel: str
    curves: Mapping[str, Curve]
    guides: Mapping[str, Curve] | None = None
    is_log_x: bool = False
    is_log_y: bool = False


def curve_panels(
    panels: Sequence[CurvePanel], *, width: float = 4.6, height: float = 3.7
) -> Figure:
    """Draw panels of curves in a row.

    Args:
        panels: What each shows.
        width: Inches of one panel.
        height: Inches.

    Example:
        >>> panel = CurvePanel("Growth", "depth", "field", {"measured": ([1, 2], [3, 5])})
        >>> curve_panels([panel]).axes[0].get_title()
        'Growth'
    """
    if not panels:
        raise InvalidValue("curve_panels: panels must hold at least one, got none.")
    figure, axes = new_figure(columns=len(panels), width=width * len(panels), height=height)
    for axis, panel in zip(np.ravel(axes), panels, strict=True):
        _draw(axis, panel)
    return figure


def _draw(axis: Axes, panel: CurvePanel) -> None:
    for (label, (x, y)), marker in zip(panel.curves.items(), cycle("os^Dvp"), strict=False):
        few = len(np.asarray(x)) <= 40
        axis.plot(x, y, marker=marker if few else "", markersize=4.5, label=label)
    for style, (label, (x, y)) in zip(cycle(("--", ":", "-.")), (panel.guides or {}).items(), strict=False):  # fmt: skip
        axis.plot(x, y, style, color=MUTED, linewidth=1.4, label=label)
    positions = np.concatenate([np.asarray(x, dtype=float) for x, _ in panel.curves.values()])
    if panel.is_log_x:
        axis.set_xscale("log")
        _plain_numbers(axis.xaxis)
    elif (positions == positions.round()).all():
        axis.xaxis.set_major_locator(MaxNLocator(integer=True))
    if panel.is_log_y:
        axis.set_yscale("log")
        _plain_numbers(axis.yaxis)
    axis.set(title=panel.title, xlabel=panel.xlabel, ylabel=panel.ylabel)
    if len(panel.curves) + len(panel.guides or {}) > 1:
        axis.legend()


def _plain_numbers(axis: Axis) -> None:
    """Label a logarithmic axis of few decades with 1, 2, 5, 10, ... instead of powers."""
    low, high = axis.get_view_interval()
    if high / low < 300:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
        axis.set_minor_formatter(NullFormatter())
