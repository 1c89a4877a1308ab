"""Figures of honest measurement: spreads, curves with bands, fits of many training sets."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure


def spreads(
    samples: Mapping[str, ArrayLike],
    *,
    label: str,
    reference: float | None = None,
    reference_label: str = "",
) -> Figure:
    """Show every estimate as a dot, one row for each way to make it, with mean and standard deviation.

    Args:
        samples: Estimates by the way they were made.
        label: What is estimated.
        reference: A value to mark across all rows, such as the truth.
        reference_label: Its name.

    Example:
        >>> figure = spreads({"hold-out": [0.1, 0.3], "10-fold": [0.2, 0.21]}, label="error")
        >>> len(figure.axes)
        1
    """
    if not samples:
        raise InvalidValue("spreads: samples must name at least one way, got none.")
    figure, axes = new_figure(width=7.0, height=1.3 + 0.75 * len(samples))
    rng = np.random.default_rng(0)  # places the dots beside each other
    heights = np.arange(len(samples))[::-1]
    for height, color, values in zip(heights, _colors(len(samples)), samples.values(), strict=True):
        points = np.asarray(values, dtype=float)
        jitter = rng.uniform(-0.16, 0.16, len(points))
        axes.plot(points, height + jitter, "o", color=color, alpha=0.45, markersize=5, mew=0)
        mean, deviation = points.mean(), points.std(ddof=1) if len(points) > 1 else 0.0
        axes.errorbar(
            mean, height + 0.3, xerr=deviation, color=color, fmt="o", markersize=6, capsize=4
        )
        axes.annotate(
            f"{mean:.3g} ± {deviation:.2g}",
            (mean, height + 0.3),
            (0, 6),
            textcoords="offset points",
            ha="center",
            color=INK,
            fontsize=8.5,
        )
    if reference is not None:
        axes.axvline(reference, color=INK, linewidth=1.1, linestyle="--", label=reference_label)
        if reference_label:
            axes.legend(loc="lower right")
    axes.set_yticks(heights, list(samples), color=INK)
    axes.set_ylim(-0.5, len(samples) - 0.2)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(label)
    return figure


def score_curves(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    xlabel: str,
    ylabel: str,
    marks: Mapping[str, float] | None = None,
    is_log_x: bool = False,
    is_log_y: bool = False,
) -> Figure:
    """Draw scores against complexity, size or time; several runs become a mean with a band.

    Args:
        x: Places.
        curves: Values at the places, shape ``(len(x),)``, or ``(len(x), runs)`` for a band of one
            standard deviation.
        xlabel: Name of the places.
        ylabel: Name of the values.
        marks: Places to mark with a vertical line, by label.
        is_log_x: Whether places are on a logarithmic scale.
        is_log_y: Whether values are on a logarithmic scale.

    Example:
        >>> figure = score_curves([1, 2], {"train": [2.0, 1.0]}, xlabel="degree", ylabel="error")
        >>> figure.axes[0].get_xlabel()
        'degree'
    """
    figure, axes = new_figure(width=7.0, height=4.2)
    places = np.asarray(x, dtype=float)
    for color, (name, values) in zip(_colors(len(curves)), curves.items(), strict=True):
        runs = np.asarray(values, dtype=float)
        mean = runs if runs.ndim == 1 else runs.mean(1)
        marker = "o" if len(places) <= 25 else ""
        axes.plot(places, mean, marker=marker, markersize=4, color=color, label=name)
        if runs.ndim == 2 and runs.shape[1] > 1:
            spread = runs.std(1)
            low = np.maximum(mean - spread, mean / 20) if is_log_y else mean - spread
            axes.fill_between(places, low, mean + spread, color=color, alpha=0.15, linewidth=0)
    for color, (name, place) in zip((INK, MUTED), (marks or {}).items(), strict=False):
        axes.axvline(place, color=color, linestyle="--", linewidth=1.2, label=name)
    if is_log_x:
        axes.set_xscale("log")
    if is_log_y:
        axes.set_yscale("log")
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.legend()
    return figure


def fitted_functions(
    panels: Mapping[str, Sequence[ArrayLike]],
    *,
    grid: ArrayLike,
    truth: ArrayLike,
    data: tuple[ArrayLike, ArrayLike] | None = None,
    ylim: tuple[float, float] | None = None,
) -> Figure:
    """Draw fits of noisy data over the true function, one panel per model.

    Args:
        panels: For each model, its fits on the grid: one, or many that differ in their data.
        grid: Places.
        truth: True function on the grid.
        data: Noisy points ``(x, y)``.
        ylim: Lower and upper end of the vertical axis.

    Example:
        >>> figure = fitted_functions({"line": [[0, 1]]}, grid=[0, 1], truth=[0, 1])
        >>> figure.axes[0].get_title()
        'line'
    """
    figure, array = new_figure(
        columns=len(panels), width=3.1 * len(panels), height=3.1, sharey=True
    )
    places = np.asarray(grid, dtype=float)
    for axes, (name, fits) in zip(np.atleast_1d(array), panels.items(), strict=True):
        many = len(fits) > 1
        for fit in fits:
            axes.plot(
                places, np.asarray(fit), color=PALETTE[0], alpha=0.25 if many else 1.0,
                linewidth=1.0 if many else 1.8,
            )  # fmt: skip
        if many:
            axes.plot(
                places,
                np.mean([np.asarray(f, float) for f in fits], axis=0),
                color=PALETTE[0],
                label="mean of the fits",
            )
        axes.plot(places, truth, color=INK, linestyle="--", linewidth=1.4, label="truth")
        if data is not None:
            axes.plot(*data, "o", color=PALETTE[1], markersize=4, label="data")
        axes.set_title(name)
        if ylim is not None:
            axes.set_ylim(*ylim)
    figure.axes[0].legend(fontsize=8)
    return figure


def _colors(count: int) -> list[str]:
    return [PALETTE[i % len(PALETTE)] for i in range(count)]
