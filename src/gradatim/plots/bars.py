"""Models side by side on one number."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure


def comparison_bars(
    values: Mapping[str, float],
    *,
    label: str = "",
    intervals: Mapping[str, tuple[float, float]] | None = None,
    highlight: str | None = None,
    title: str = "",
) -> Figure:
    """Compare models on one number, the first on top.

    Without intervals the values are bars from zero. With intervals they are points with whiskers, on
    an axis that spans them, for differences matter there and lengths do not.

    Args:
        values: The number of each model.
        label: What the number is, with its unit.
        intervals: Lower and upper end for each model, such as a confidence interval.
        highlight: The model to draw in the first colour, the others in grey; all coloured if ``None``.
        title: Heading.

    Example:
        >>> figure = comparison_bars({"MLP": 1.8, "logistic regression": 3.4}, label="error %")
        >>> [text.get_text() for text in figure.axes[0].texts]
        ['1.8', '3.4']
    """
    names = list(values)
    _check(names, intervals, highlight)
    figure, axes = new_figure(width=7.0, height=0.75 + 0.38 * len(names) + (0.3 if title else 0))
    heights = np.arange(len(names))[::-1]
    colors = [PALETTE[0] if highlight in (None, name) else "#A9B0BA" for name in names]
    numbers = np.array([float(values[name]) for name in names])
    if intervals is None:
        axes.barh(heights, numbers, height=0.62, color=colors)
        axes.margins(x=0.1)
        ends = np.maximum(numbers, 0.0)
    else:
        ends = _whiskers(axes, heights, numbers, [intervals[name] for name in names], colors)
    for height, end, number in zip(heights, ends, numbers, strict=True):
        axes.annotate(
            f"{number:.4g}", (end, height), (5, 0), textcoords="offset points", va="center", color=INK, fontsize=9
        )  # fmt: skip
    axes.set_yticks(heights, names, color=INK)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(label, color=MUTED)
    if title:
        axes.set_title(title)
    return figure


def _whiskers(
    axes: Axes,
    heights: np.ndarray,
    numbers: np.ndarray,
    intervals: list[tuple[float, float]],
    colors: list[str],
) -> np.ndarray:
    """Draw points with whiskers; return where each ends on the right."""
    ends = np.array(intervals, dtype=float)
    for height, number, (low, high), color in zip(heights, numbers, ends, colors, strict=True):
        axes.plot([low, high], [height, height], color=color, linewidth=2.2, solid_capstyle="round")
        axes.plot([number], [height], "o", color=color, markersize=7)
    axes.margins(x=0.14)
    return ends[:, 1]


def _check(
    names: list[str], intervals: Mapping[str, tuple[float, float]] | None, highlight: str | None
) -> None:
    if not names:
        raise InvalidValue("comparison_bars: values must name at least one model, got none.")
    missing = [name for name in names if intervals is not None and name not in intervals]
    if missing:
        raise InvalidValue(
            f"comparison_bars: intervals must cover every model, got none for {missing[0]!r}."
        )
    if highlight is not None and highlight not in names:
        raise InvalidValue(
            f"comparison_bars: highlight must be one of {', '.join(names)}, got {highlight!r}."
        )
