"""Means over seeds that one lucky or unlucky seed does not decide, with the interval that few seeds allow."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from gradatim.errors import require


class Band(NamedTuple):
    """Interquartile means, with the ends of their bootstrap intervals; one of each for every column.

    Args:
        mean: Shape ``(points,)``.
        low: Lower ends.
        high: Upper ends.
    """

    mean: np.ndarray
    low: np.ndarray
    high: np.ndarray


def interquartile_mean(values: ArrayLike) -> np.ndarray:
    r"""Mean of the middle half: a quarter of the values is left out at each end, rounded down.

    Args:
        values: A row for each run, shape ``(runs, …)``.

    Example:
        >>> float(interquartile_mean([0.0, 4.0, 5.0, 6.0, 900.0]))
        5.0

    Reference:
        Agarwal et al., Deep Reinforcement Learning at the Edge of the Statistical Precipice, 2021.
    """
    return np.asarray(stats.trim_mean(np.asarray(values, dtype=np.float64), 0.25, axis=0))


def bootstrap_band(
    values: ArrayLike, *, level: float = 0.95, resamples: int = 2_000, seed: int = 0
) -> Band:
    """Interquartile mean over runs, and where it lies in ``level`` of the cases when runs are drawn anew from these.

    Args:
        values: A row for each run, at least five, shape ``(runs, points)``.
        level: Of the interval.
        resamples: Draws of as many runs with replacement.
        seed: Of the draws.

    Example:
        >>> band = bootstrap_band([[1.0], [2.0], [3.0], [4.0], [5.0]])
        >>> band.mean.tolist(), bool(band.low[0] >= 1.0)
        ([3.0], True)
    """
    rows = np.asarray(values, dtype=np.float64)
    require(rows.ndim == 2 and len(rows) >= 5, "bootstrap_band: values must have at least 5 rows, one for each run", f"shape {rows.shape}")  # fmt: skip
    require(0 < level < 1, "bootstrap_band: level must be in (0, 1)", level, "Try 0.95.")
    drawn = np.random.default_rng(seed).integers(len(rows), size=(len(rows), resamples))
    means = interquartile_mean(rows[drawn])  # (resamples, points)
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Band(interquartile_mean(rows), low, high)
