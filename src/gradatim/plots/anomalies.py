"""Figures of anomalies: scores with their threshold, alarms asked for and raised, series with alarms."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike
from scipy.stats import binom

from gradatim.errors import InvalidValue
from gradatim.plots.style import INK, MUTED, PALETTE, new_figure
from gradatim.wording import percent

BINS = 40
FURTHEST = 100.0  # times the threshold, at which higher scores are drawn


def score_histogram(normal: ArrayLike, odd: ArrayLike, *, odd_name: str = "anomalies") -> Figure:
    """Draw how scores of normal data and of anomalies are spread, with the threshold at 1.

    Args:
        normal: Scores of normal data, in units of the threshold.
        odd: Scores of anomalies.
        odd_name: What these are called.

    Example:
        >>> figure = score_histogram([0.2, 0.4, 0.9], [0.8, 3.0], odd_name="faults")
        >>> [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        ['normal (3), 0 % above', 'faults (2), 50 % above', 'threshold']
    """
    parts = [np.asarray(part, dtype=float).ravel() for part in (normal, odd)]
    if not all(len(part) and np.isfinite(part).all() for part in parts):
        raise InvalidValue("score_histogram: normal and odd must hold finite scores, got others.")
    parts = [np.clip(part, 0.0, FURTHEST) for part in parts]
    positive = np.concatenate(parts)
    positive = positive[positive > 0]
    low = max(float(positive.min(initial=0.5)), 1e-3)
    high = max(float(positive.max(initial=1.0)), 1.5)
    edges = np.geomspace(low, high, BINS)
    figure, axes = new_figure(height=3.0)
    for part, name, color in zip(parts, ("normal", odd_name), PALETTE, strict=False):
        axes.hist(
            np.maximum(part, low), bins=edges.tolist(), weights=np.full(len(part), 1 / len(part)), color=color, alpha=0.55,
            label=f"{name} ({len(part):,}), {percent(float((part > 1.0).mean()))} above",
        )  # fmt: skip
    axes.axvline(1.0, color=INK, linewidth=1.0, linestyle="--", label="threshold")
    axes.set_xscale("log")
    axes.set(xlabel="score, in units of the threshold", ylabel="share")
    axes.legend()
    return figure


def alarm_shares(asked: Sequence[float], raised: Sequence[float], count: int, *, marked: float | None = None) -> Figure:  # fmt: skip
    """Draw the share of alarms that normal data raise against the share asked for.

    Args:
        asked: Shares asked for, in ascending order.
        raised: Shares raised by new normal data.
        count: How many new data there were, for the band of chance.
        marked: The share that was chosen.

    Example:
        >>> alarm_shares([0.01, 0.1], [0.012, 0.09], 500).axes[0].get_xlabel()
        'alarms asked for'
    """
    x, y = (np.asarray(part, dtype=float) for part in (asked, raised))
    if x.shape != y.shape or not len(x) or count < 1:
        raise InvalidValue(f"alarm_shares: asked and raised must be as many, and count positive, got {x.shape}, {y.shape} and {count}.")  # fmt: skip
    figure, axes = new_figure(width=4.2, height=3.4)
    grid = np.geomspace(x.min() / 1.5, min(x.max() * 1.5, 1.0), 80)
    low, high = (binom.ppf(q, count, grid) / count for q in (0.025, 0.975))
    floor = min(0.5 / count, float(x.min()) / 2)
    axes.fill_between(grid, np.maximum(low, floor), high, color=MUTED, alpha=0.15, linewidth=0)
    axes.plot(grid, grid, color=MUTED, linewidth=0.9, linestyle=":")
    axes.plot(x, np.maximum(y, floor), "o-", color=PALETTE[0], markersize=4)
    if marked is not None:
        axes.axvline(marked, color=INK, linewidth=0.8, linestyle="--")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set(xlabel="alarms asked for", ylabel="alarms raised")
    return figure


def flagged_series(
    channels: Mapping[str, ArrayLike], score: ArrayLike, *, labelled: ArrayLike | None = None
) -> Figure:
    """Draw channels of a series with the steps that raised an alarm, above the score.

    Args:
        channels: Values by name, shape ``(T,)`` each.
        score: Score of every step in units of the threshold, NaN where there is none.
        labelled: Whether a step is a labelled anomaly.

    Example:
        >>> figure = flagged_series({"load": [1.0, 1.1, 9.0]}, [0.2, 0.3, 4.0])
        >>> [axes.get_ylabel() for axes in figure.axes]
        ['load', 'score']
    """
    s = np.asarray(score, dtype=float)
    lines = {name: np.asarray(values, dtype=float) for name, values in channels.items()}
    if (
        not lines
        or any(line.shape != s.shape for line in lines.values())
        or s.ndim != 1
        or not len(s)
    ):
        raise InvalidValue(f"flagged_series: channels must be as long as the score, got {[line.shape for line in lines.values()]} and {s.shape}.")  # fmt: skip
    figure, panels = new_figure(len(lines) + 1, 1, 7.0, 1.25 * len(lines) + 1.5, sharex=True)
    alarms, steps = s > 1.0, np.arange(len(s))
    for panel, (name, values) in zip(panels, lines.items(), strict=False):
        panel.plot(steps, values, color=PALETTE[0], linewidth=0.8)
        panel.plot(steps[alarms], values[alarms], "o", color=PALETTE[1], markersize=3)
        panel.set_ylabel(name)
    panels[-1].plot(steps, np.clip(s, None, FURTHEST), color=INK, linewidth=0.7)
    panels[-1].axhline(1.0, color=PALETTE[1], linewidth=0.9, linestyle="--")
    panels[-1].set(xlabel="steps", ylabel="score")
    if labelled is not None and np.asarray(labelled).any():
        edges = np.flatnonzero(np.diff(np.r_[0, np.asarray(labelled, dtype=int), 0]))
        for panel in panels:
            for start, end in edges.reshape(-1, 2).tolist():
                panel.axvspan(start - 0.5, end - 0.5, color=PALETTE[4], alpha=0.25, linewidth=0)
    return figure
