"""The house style of every figure: white card, light grid, colours that colour-blind readers can tell apart.

Figures are plain :class:`matplotlib.figure.Figure` objects: nothing here reads or writes pyplot's
state, and no global setting changes, so figures can be drawn from threads and inside other programs.
"""

from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.cbook import normalize_kwargs
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text

from gradatim.errors import InvalidValue

# Okabe and Ito's colours; their yellow, too pale for a line on white, gives way to a grey.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#5F6670", "#8C510A")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
STYLES = ("-", "--", "-.", ":")
INK = "#1F2430"
MUTED = "#5F6670"
RULE = "#C9CDD4"
GRID = "#ECEEF1"
SEQUENTIAL = mpl.colormaps["Blues"]
DIVERGING = mpl.colormaps["RdBu_r"]


class _HouseAxes(Axes):
    """Axes whose titles and legends start from the house style instead of the global settings."""

    name = "gradatim"

    def set_title(self, label: str, *args: Any, **kwargs: Any) -> Text:
        if args:
            return super().set_title(label, *args, **kwargs)
        house: dict[str, Any] = {"fontsize": 11, "fontweight": "bold", "color": INK, "pad": 9}
        if "loc" not in kwargs:
            # the middle title, moved left, so that get_title() still finds it
            house |= {"x": 0.0, "horizontalalignment": "left"}
        return super().set_title(label, **(house | normalize_kwargs(kwargs, Text)))

    def legend(self, *args: Any, **kwargs: Any) -> Legend:
        house = {
            "facecolor": "white",
            "edgecolor": "none",
            "framealpha": 0.85,
            "fontsize": 9,
            "labelcolor": INK,
            "handlelength": 1.6,
        }
        return super().legend(*args, **(house | kwargs))


def _dress(axes: Axes) -> None:
    axes.set_prop_cycle(cycler(color=PALETTE) * cycler(linewidth=[1.8]))
    axes.set_axisbelow(True)
    axes.grid(True, color=GRID, linewidth=0.9)
    axes.tick_params(colors=MUTED, labelsize=9, length=3, color=RULE, which="both")
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(RULE)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set_fontsize(10)
        axis.label.set_color(INK)


def new_figure(
    rows: int = 1,
    columns: int = 1,
    width: float = 7.0,
    height: float = 4.0,
    *,
    sharex: bool = False,
    sharey: bool = False,
) -> tuple[Figure, Any]:
    """Make a figure and its axes in the house style.

    Args:
        rows: Rows of axes.
        columns: Columns of axes.
        width: Inches; a report's column shows seven.
        height: Inches.
        sharex: Whether all axes share the horizontal scale.
        sharey: Whether all axes share the vertical scale.

    Returns:
        The figure, and its axes as ``Figure.subplots`` gives them: one ``Axes``, or an array of them
        of shape ``(columns,)``, ``(rows,)`` or ``(rows, columns)``.

    Example:
        >>> figure, (left, right) = new_figure(columns=2)
        >>> line = left.plot([0, 1], [1, 0], label="loss")
        >>> line[0].get_color()
        '#0072B2'
    """
    if min(rows, columns) < 1 or min(width, height) <= 0:
        raise InvalidValue(
            "new_figure: rows, columns, width and height must be positive, "
            f"got {rows}, {columns}, {width}, {height}."
        )
    layout = ConstrainedLayoutEngine(w_pad=0.08, h_pad=0.08, wspace=0.04, hspace=0.06)
    figure = Figure(figsize=(width, height), dpi=110, layout=layout, facecolor="white")
    axes = figure.subplots(
        rows, columns, sharex=sharex, sharey=sharey, subplot_kw={"axes_class": _HouseAxes}
    )
    for each in figure.axes:
        _dress(each)
    return figure, axes
