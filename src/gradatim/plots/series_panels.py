"""Series with several channels, one panel each, and where in time something counts."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import DIVERGING, INK, MUTED, PALETTE, new_figure

MOST_LINES = len(PALETTE)  # channels that are told apart as lines; more are drawn as a map


def series_panels(
    series: Sequence[ArrayLike],
    titles: Sequence[str],
    *,
    channels: Sequence[str] = (),
    weights: Sequence[ArrayLike] | None = None,
    columns: int = 3,
) -> Figure:
    """Draw series, a panel each: channels as lines, or as rows of a map where they are many.

    Args:
        series: Arrays ``(T_n, C)``.
        titles: A heading for each.
        channels: Names of the channels, for a legend.
        weights: For each series, what its steps count, shape ``(T_n,)``; drawn as a band below it.
        columns: Panels in a row.

    Example:
        >>> figure = series_panels([[[0.0], [1.0]], [[2.0], [1.0], [0.0]]], ["a", "b"], weights=[[0.5, 0.5], [1, 0, 0]])
        >>> [panel.get_title() for panel in figure.axes]
        ['a', 'b']
    """
    arrays = [np.asarray(one, dtype=float) for one in series]
    if not arrays or len(arrays) != len(titles) or any(a.ndim != 2 or not a.size for a in arrays):
        raise InvalidValue(
            "series_panels: series must be arrays of shape (T, C) with a title each, got "
            f"{len(titles)} titles for shapes {[a.shape for a in arrays]}."
        )
    columns = min(columns, len(arrays))
    rows = -(-len(arrays) // columns)
    figure, axes = new_figure(rows, columns, max(2.9 * columns, 4.0), 2.1 * rows)
    panels = np.ravel(axes)
    is_many = arrays[0].shape[1] > MOST_LINES
    for k, (panel, values, title) in enumerate(zip(panels, arrays, titles, strict=False)):
        (_map if is_many else _lines)(panel, values, channels)
        panel.set_title(title, fontsize=9.5)
        panel.xaxis.set_major_locator(MaxNLocator(5, integer=True))
        if weights is not None:
            _band(panel, np.asarray(weights[k], dtype=float), len(values))
    for panel in panels[len(arrays) :]:
        panel.remove()
    if not is_many and len(channels) > 1:
        handles, names = panels[0].get_legend_handles_labels()
        figure.legend(
            handles, names, loc="outside upper center", ncols=min(len(names), 4), fontsize=8
        )
    return figure


def _lines(panel: Axes, values: np.ndarray, channels: Sequence[str]) -> None:
    names = list(channels) or [""] * values.shape[1]
    for color, name, line in zip(PALETTE, names, values.T, strict=False):
        marker = "o" if len(line) == 1 else ""
        panel.plot(line, color=color, linewidth=1.1, marker=marker, label=name or "_nolegend_")
    panel.tick_params(labelsize=8)


def _map(panel: Axes, values: np.ndarray, channels: Sequence[str]) -> None:
    limit = max(float(np.abs(values).max()), 1e-9)
    T, C = values.shape
    extent = (-0.5, T - 0.5, C + 0.5, 0.5)  # channels from 1
    panel.imshow(values.T, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto", extent=extent)
    panel.set_ylabel("channel", fontsize=8)
    panel.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    panel.grid(False)
    panel.tick_params(labelsize=8)


def _band(panel: Axes, weights: np.ndarray, length: int) -> None:
    """What steps count, as a strip along the bottom of a panel, which makes room for it."""
    strip = panel.inset_axes((0.0, 0.0, 1.0, 0.12))
    strip.imshow(weights[None, :length], cmap="inferno", aspect="auto", vmin=0.0)
    strip.set(xticks=[], yticks=[])
    strip.grid(False)
    for side in strip.spines.values():
        side.set_visible(False)
    bottom, top = panel.get_ylim()
    panel.set_xlim(-0.5, length - 0.5)
    panel.set_ylim(bottom - 0.16 * (top - bottom), top)


def window_bars(values: ArrayLike, *, label: str = "importance") -> Figure:
    """Draw what each of equal parts of a series counts, from its start to its end.

    Args:
        values: One number for each part.
        label: What the number is.

    Example:
        >>> len(window_bars([0.1, 0.4, 0.0]).axes[0].patches)
        3
    """
    numbers = np.asarray(values, dtype=float)
    if numbers.ndim != 1 or not len(numbers):
        raise InvalidValue(f"window_bars: values must be one for each part, got shape {numbers.shape}.")  # fmt: skip
    figure, axes = new_figure(height=2.6)
    edges = np.linspace(0, 100, len(numbers) + 1)
    axes.bar((edges[:-1] + edges[1:]) / 2, numbers, width=0.9 * (edges[1] - edges[0]), color=PALETTE[0])  # fmt: skip
    axes.axhline(0, color=INK, linewidth=0.8)
    axes.set_xlim(0, 100)
    axes.set_xlabel("place in the series, % of its steps", color=MUTED)
    axes.set_ylabel(label, color=MUTED)
    return figure
