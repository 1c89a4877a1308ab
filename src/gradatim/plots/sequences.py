"""Sequences: where a decoder looked, and what is forecast."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, MUTED, PALETTE, SEQUENTIAL, new_figure

Alignment = tuple[ArrayLike, Sequence[str], Sequence[str]]


def alignment_maps(alignments: Sequence[Alignment], *, columns: int = 2) -> Figure:
    r"""Draw attention weights: which source tokens each target token came from.

    Args:
        alignments: For each panel the weights :math:`\alpha_{ts}`, shape ``(L, S)`` or larger, the
            ``L`` tokens of the target, from top to bottom, and the ``S`` tokens of the source.
        columns: Panels in a row.

    Example:
        >>> figure = alignment_maps([([[0.9, 0.1], [0.2, 0.8]], "ab", "xy")])
        >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
        ['x', 'y']
    """
    if not alignments:
        raise InvalidValue("alignment_maps: alignments must hold at least one, got none.")
    tables = [_cut(*alignment) for alignment in alignments]
    columns = min(columns, len(tables))
    rows = -(-len(tables) // columns)
    widest, tallest = (max(t.shape[k] for t in tables) for k in (1, 0))
    figure, axes = new_figure(
        rows, columns, max(columns * (0.19 * widest + 0.6), 3.5), rows * (0.19 * tallest + 0.75)
    )
    panels = np.ravel(axes)
    for panel, table, (_, target, source) in zip(panels, tables, alignments, strict=False):
        panel.imshow(table, cmap=SEQUENTIAL, vmin=0.0, vmax=1.0, aspect="equal")
        _letters(panel, source, target)
    for panel in panels[len(tables) :]:
        panel.remove()
    return figure


def _cut(weights: ArrayLike, target: Sequence[str], source: Sequence[str]) -> np.ndarray:
    table = np.asarray(weights, dtype=float)
    if table.ndim != 2 or table.shape[0] < len(target) or table.shape[1] < len(source):
        raise InvalidValue(
            f"alignment_maps: weights must have a row for each of {len(target)} target tokens and a "
            f"column for each of {len(source)} source tokens, got shape {table.shape}."
        )
    return table[: len(target), : len(source)]


def _letters(panel: Axes, source: Sequence[str], target: Sequence[str]) -> None:
    short = max(map(len, source)) < 3
    panel.set_xticks(range(len(source)), source, rotation=0 if short else 60, color=INK)
    panel.set_yticks(range(len(target)), target, color=INK)
    panel.xaxis.tick_top()
    panel.tick_params(length=0, labelsize=9)
    panel.set_anchor("NW")
    panel.grid(False)
    for side in panel.spines.values():
        side.set_visible(False)


def forecast_bands(
    history: ArrayLike,
    forecasts: Mapping[str, tuple[ArrayLike, ArrayLike, ArrayLike]],
    truth: ArrayLike | None = None,
    *,
    level: float = 0.9,
    ylabel: str = "",
    title: str = "",
) -> Figure:
    """Draw a series, its forecasts with intervals, and what really came.

    Args:
        history: Values before the forecast, shape ``(T,)``.
        forecasts: For each model the median, the lower and the upper bound, shape ``(H,)`` each.
        truth: Values that came, shape ``(H,)``, if known.
        level: Probability of the intervals, for the legend.
        ylabel: What the values are.
        title: Heading.

    Example:
        >>> figure = forecast_bands([1, 2, 3], {"GRU": ([4, 5], [3, 3], [5, 7])}, [4, 6])
        >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        ['history', 'GRU, with 90 % interval', 'what came']
    """
    past = np.asarray(history, dtype=float)
    if past.ndim != 1 or not len(past) or not forecasts:
        raise InvalidValue(
            "forecast_bands: history must be one series, and forecasts hold at least one model, "
            f"got shape {past.shape} and {len(forecasts)}."
        )
    figure, axes = new_figure(height=3.4)
    axes.plot(np.arange(1 - len(past), 1), past, color=INK, linewidth=1.3, label="history")
    for color, (name, bounds) in zip(PALETTE, forecasts.items(), strict=False):
        median, low, high = (np.r_[past[-1], np.asarray(b, dtype=float)] for b in bounds)
        steps = np.arange(len(median))  # the bands begin at the last value known
        axes.fill_between(steps, low, high, color=color, alpha=0.18, linewidth=0)
        axes.plot(steps, median, color=color, label=f"{name}, with {100 * level:.0f} % interval")
    if truth is not None:
        came = np.asarray(truth, dtype=float)
        axes.plot(
            np.arange(1, len(came) + 1), came, "o", color=INK, markersize=3, label="what came"
        )
    axes.axvline(0, color=MUTED, linewidth=0.8, linestyle=":")
    axes.set(xlabel="steps from the last value known", ylabel=ylabel)
    if title:
        axes.set_title(title)
    axes.legend(loc="upper left")
    return figure
