"""The simple detectors that an autoencoder must beat, from the simplest to the most complex."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from gradatim.fitting.anomalies.detectors import FLOOR, Detector
from gradatim.fitting.anomalies.isolation import fit_isolation

NOTHING, RULE, FORECAST = "no alarms", "single columns", "forecast error"
COMPONENTS, NEAREST, ISOLATION = "principal components", "nearest neighbours", "isolation forest"
# In order of complexity: Occam's rule takes the first that is as good as the best.
TABLES = (NOTHING, RULE, COMPONENTS, NEAREST, ISOLATION)
SERIES = (NOTHING, RULE, FORECAST, COMPONENTS, NEAREST, ISOLATION)
EXPLAINED = 0.9  # of the variance, that principal components keep
NEIGHBOURS = 5
REMEMBERED = 2_000  # rows whose neighbourhood is known
PENALTY = 1e-3  # on the squared weights of a forecast, by row


class Shape(NamedTuple):
    """What features stand for.

    Args:
        cells: Cell of every feature: a column of a table, or a channel at a step of a window.
        is_number: Whether a feature is a standardized number.
        is_mark: Whether it marks a category or a missing cell.
        last: Features of the last step; all for a table.
    """

    cells: np.ndarray
    is_number: np.ndarray
    is_mark: np.ndarray
    last: np.ndarray


def fit_simple(name: str, X: np.ndarray, shape: Shape, seed: int) -> Detector:
    """Fit a simple detector; its threshold is still to be found.

    Args:
        name: One of ``TABLES`` or ``SERIES``.
        X: Features of normal rows, shape ``(N, F)``.
        shape: What they stand for.
        seed: Fixes what is drawn.

    Example:
        >>> X = np.array([[1.0], [-1.0], [0.5]])
        >>> shape = Shape(np.zeros(1, int), np.ones(1, bool), np.zeros(1, bool), np.zeros(1, int))
        >>> fit_simple("single columns", X, shape, 0).raw(np.array([[-3.0]])).tolist()
        [3.0]
    """
    return _FIT[name](X, shape, seed)


def _fit_nothing(X: np.ndarray, shape: Shape, seed: int) -> Detector:
    return Detector("constant", {}, {})


def _fit_rule(X: np.ndarray, shape: Shape, seed: int) -> Detector:
    """Numbers by their size, categories by their rarity; one that was never seen is the rarest."""
    inside = np.isin(np.arange(X.shape[1]), shape.last)
    marked = np.flatnonzero(shape.is_mark & inside)
    cells, first, place = np.unique(shape.cells[marked], return_index=True, return_inverse=True)
    group = np.full(X.shape[1], -1)
    group[marked] = place
    n = len(X)
    shares = np.clip(X[:, marked].sum(0), 1.0, n) / (n + 1.0)
    # a number that is there is nothing strange, where others are missing
    alone = np.array([shape.is_number[shape.cells == cell].any() for cell in cells], dtype=bool)
    base = np.where(alone, 0.0, np.sqrt(2.0 * np.log(n + 1.0)))
    weight = np.zeros(X.shape[1])
    weight[marked] = base[place] - np.sqrt(-2.0 * np.log(shares))
    return Detector(
        "rule",
        {
            "numeric": np.flatnonzero(shape.is_number & inside),
            "group": group,
            "weight": weight,
            "base": base,
            "first": marked[first],
        },
        {},
    )


def _fit_components(X: np.ndarray, shape: Shape, seed: int) -> Detector:
    """What the main directions of the normal rows do not explain."""
    mean = X.mean(0)
    directions, strength = main_directions(X - mean)
    share = np.cumsum(strength) / max(float(strength.sum()), 1e-300)
    count = min(int(np.searchsorted(share, EXPLAINED)) + 1, X.shape[1] - 1)
    down = directions[:, :count]
    up = np.ascontiguousarray(down.T)
    bias = mean - (mean @ down) @ up
    return _linear(X, np.arange(X.shape[1]), down, up, bias, components=count)


def main_directions(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Directions of the largest variance of centred rows, as columns, and the variances, from the shorter side.

    Example:
        >>> directions, strength = main_directions(np.array([[1.0, 1.0], [-1.0, -1.0]]))
        >>> np.abs(directions[:, 0]).round(3).tolist(), strength.round(3).tolist()[0]
        ([0.707, 0.707], 4.0)
    """
    if X.shape[1] <= len(X):
        strength, directions = np.linalg.eigh(X.T @ X)
    else:
        strength, left = np.linalg.eigh(X @ X.T)
        keep = strength > 1e-12 * max(float(strength[-1]), 1e-300)
        strength = strength[keep]
        directions = X.T @ (left[:, keep] / np.sqrt(strength))
    return np.ascontiguousarray(directions[:, ::-1]), np.maximum(strength[::-1], 0.0)


def _fit_forecast(X: np.ndarray, shape: Shape, seed: int) -> Detector:
    """The last step from the steps before it, by a ridge regression of all channels on all."""
    past = np.setdiff1d(np.arange(X.shape[1]), shape.last)
    mean = X.mean(0)
    A, Y = X[:, past] - mean[past], X[:, shape.last] - mean[shape.last]
    weights = np.linalg.solve(A.T @ A + PENALTY * len(X) * np.eye(len(past)), A.T @ Y)
    down = np.zeros((X.shape[1], len(shape.last)))
    down[past] = weights
    bias = mean[shape.last] - mean[past] @ weights
    return _linear(X, shape.last, down, np.eye(len(shape.last)), bias)


def _linear(X: np.ndarray, places: np.ndarray, down: np.ndarray, up: np.ndarray, bias: np.ndarray, **settings: object) -> Detector:  # fmt: skip
    residuals = X[:, places] - bias - (X @ down) @ up
    scale = np.sqrt((residuals**2).mean(0) + FLOOR)
    arrays = {"places": places, "down": np.ascontiguousarray(down), "up": up, "bias": bias, "scale": scale}  # fmt: skip
    return Detector("linear", arrays, dict(settings))


def _fit_nearest(X: np.ndarray, shape: Shape, seed: int) -> Detector:
    rows = X
    if len(X) > REMEMBERED:
        rows = X[np.sort(np.random.default_rng([seed, 8]).permutation(len(X))[:REMEMBERED])]
    return Detector("nearest", {"rows": rows.astype(np.float32)}, {"neighbours": min(NEIGHBOURS, len(rows))})  # fmt: skip


def _fit_isolation(X: np.ndarray, shape: Shape, seed: int) -> Detector:
    return fit_isolation(X, seed)


_FIT: dict[str, Callable[[np.ndarray, Shape, int], Detector]] = {
    NOTHING: _fit_nothing,
    RULE: _fit_rule,
    FORECAST: _fit_forecast,
    COMPONENTS: _fit_components,
    NEAREST: _fit_nearest,
    ISOLATION: _fit_isolation,
}
