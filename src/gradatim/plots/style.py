"""The house style of every figure: white card, light grid, colours that colour-blind readers can tell apart.

Figures are plain :class:`matplotlib.figure.Figure` objects: nothing here reads or writes pyplot's
state, and no global setting changes, so figures can be drawn from threads and inside other programs.
"""

import re
import warnings
from collections.abc import Iterable
from typing import Any

import matplotlib as mpl
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.cbook import normalize_kwargs
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine, LayoutEngine
from matplotlib.legend import Legend
from matplotlib.text import Text

from gradatim.errors import InvalidValue
from gradatim.plots.words import HIDDEN, NAME, SENTENCE, families, plain, write_plainly

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


DPI = 110
LETTER = 0.075  # inches of a letter of a tick's label
LABELS, SHORTEST = (
    0.45,
    8,
)  # share of a panel that such labels may take; letters that remain at least
SHARES = (1.0, 0.4, 0.2, 0.1, 0.04)  # of the length of texts, tried until there is room

# what Matplotlib calls an artist that was given no label
_UNNAMED = re.compile(r"_(nolegend_|child\d+|container\d+)?")


class _HouseFigure(Figure):
    """A figure whose texts are drawn as they stand, but for formulas, and shortened where they leave no room to draw."""

    def draw(self, renderer: Any) -> None:
        engine = self.get_layout_engine()
        for share in SHARES:
            self._write(share)
            if self._has_room(engine):
                break
        self.set_layout_engine("none")  # the axes have their places
        super().draw(renderer)
        self.set_layout_engine(engine)

    def legend(self, *args: Any, **kwargs: Any) -> Legend:
        for axes in self.axes:
            _show_names(axes)
        return super().legend(*args, **kwargs)

    def _write(self, share: float) -> None:
        names = {id(label) for legend in self.findobj(Legend) for label in legend.get_texts()}
        for label in self.findobj(Text):
            write_plainly(label, int(share * (NAME if id(label) in names else SENTENCE)))

    def _has_room(self, engine: LayoutEngine | None) -> bool:
        """Whether all axes found a place beside the texts."""
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            if engine is not None:
                engine.execute(self)
        return not any("collapsed" in str(warning.message) for warning in found)


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
        if not args and not {"handles", "labels"} & kwargs.keys():
            args = self.get_legend_handles_labels()
        return super().legend(*args, **(house | kwargs))

    def get_legend_handles_labels(
        self, legend_handler_map: Any = None
    ) -> tuple[list[Any], list[Any]]:
        _show_names(self)
        return super().get_legend_handles_labels(legend_handler_map)

    def set_xticks(self, ticks: Any, labels: Iterable[Any] | None = None, **kwargs: Any) -> Any:
        return super().set_xticks(ticks, self._tick_labels(self.xaxis, labels), **kwargs)

    def set_yticks(self, ticks: Any, labels: Iterable[Any] | None = None, **kwargs: Any) -> Any:
        return super().set_yticks(ticks, self._tick_labels(self.yaxis, labels), **kwargs)

    def _tick_labels(self, axis: Axis, labels: Iterable[Any] | None) -> list[str] | None:
        """Labels as they stand, where they are too long for the panel shortened; ``None`` for the usual numbers."""
        if labels is None:
            return None
        grid, box = self.get_subplotspec(), self.figure.bbox
        rows, columns = grid.get_gridspec().get_geometry() if grid is not None else (1, 1)
        inches = (box.width / columns if axis is self.yaxis else box.height / rows) / DPI
        most = min(NAME, max(int(LABELS * inches / LETTER), SHORTEST))
        found: list[str] = [plain(label, most) for label in labels]
        if len(needed := families("".join(found))) > 1:
            axis.set_tick_params(labelfontfamily=needed)
        return found


def _show_names(axes: Axes) -> None:
    """Let names begin with an underscore, which would keep them out of the legend."""
    artists: list[Any] = [*axes.get_children(), *axes.containers]
    for artist in artists:
        label = str(artist.get_label())
        if label.startswith("_") and not _UNNAMED.fullmatch(label):
            artist.set_label(f"{HIDDEN}{label}")


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
    figure = _HouseFigure(figsize=(width, height), dpi=DPI, layout=layout, facecolor="white")
    axes = figure.subplots(
        rows, columns, sharex=sharex, sharey=sharey, subplot_kw={"axes_class": _HouseAxes}
    )
    for each in figure.axes:
        _dress(each)
    return figure, axes
