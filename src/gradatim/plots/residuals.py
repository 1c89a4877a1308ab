"""What a regression leaves unexplained."""

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue
from gradatim.plots.style import PALETTE, RULE, new_figure

MAX_POINTS = 3000


def residuals(y: ArrayLike, predicted: ArrayLike, *, label: str = "target") -> Figure:
    """Draw true against predicted values, and the residuals against the predictions.

    Args:
        y: True values, shape ``(N,)``.
        predicted: Predictions, shape ``(N,)``.
        label: Name of the target.

    Example:
        >>> [axes.get_ylabel() for axes in residuals([1, 2], [1, 3], label="price").axes]
        ['true price', 'true − predicted']
    """
    true, guess = np.asarray(y, dtype=float), np.asarray(predicted, dtype=float)
    if len(true) == 0 or true.shape != guess.shape:
        raise InvalidValue(
            f"residuals: y and predicted must have the same length from 1, got {true.shape} and {guess.shape}."
        )
    if len(true) > MAX_POINTS:  # a sample shows the same cloud
        rows = np.random.default_rng(0).choice(len(true), MAX_POINTS, replace=False)
        true, guess = true[rows], guess[rows]
    figure, (left, right) = new_figure(columns=2, width=8.0, height=3.6)
    style = {
        "s": 14,
        "alpha": max(0.15, min(0.8, 300 / len(true))),
        "color": PALETTE[0],
        "linewidths": 0,
    }
    ends = [min(true.min(), guess.min()), max(true.max(), guess.max())]
    left.plot(ends, ends, color=RULE, linewidth=1.4, zorder=1)
    left.scatter(guess, true, zorder=2, **style)
    left.set(xlabel=f"predicted {label}", ylabel=f"true {label}", title="prediction and truth")
    right.axhline(0.0, color=RULE, linewidth=1.4, zorder=1)
    right.scatter(guess, true - guess, zorder=2, **style)
    right.set(xlabel=f"predicted {label}", ylabel="true − predicted", title="residuals")
    return figure
