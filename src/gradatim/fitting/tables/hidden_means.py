"""Mean targets of categories, hidden from trees that tell categories apart by their places.

A training row finds the mean target of its category without its own fold's rows, so the rows of one category have different
numbers. Trees that grow to single rows lose sight of the category by that; where its other columns matter within it, such
as the year of a visit to one of a thousand restaurants, they do better with the place alone.
"""

from collections.abc import Callable

import numpy as np

from gradatim.fitting.tables.candidates import EXTRA, fit_simple
from gradatim.fitting.tables.costs import FoldData
from gradatim.fitting.tables.predictors import predict

TREES = 25  # that look


def hide(X: np.ndarray, features: np.ndarray) -> np.ndarray:
    """Features of which some are zero in every row, so that no tree can cut there.

    Args:
        X: Shape ``(N, features)``.
        features: Numbers of those to hide.

    Example:
        >>> hide(np.ones((2, 3)), np.array([1])).tolist()
        [[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]]
    """
    hidden = X.copy()
    hidden[:, features] = 0.0
    return hidden


def are_better_hidden(
    features: np.ndarray, data: FoldData, loss: Callable[[np.ndarray], float], seed: int, most: int
) -> bool:
    """Whether a few extra trees do better on the judging rows without some features.

    Args:
        features: Numbers of those that may be hidden.
        data: A fold.
        loss: How bad it is to say something of its judging rows.
        seed: Fixes trees and draws.
        most: Rows to learn from, at most.
    """
    rows = np.random.default_rng([seed, 6]).permutation(len(data.X))[:most]
    X, y, goal = data.X[rows], data.y[rows], data.goal.take(rows)

    def judge(X: np.ndarray) -> float:
        fitted = fit_simple(EXTRA, X, y, data.classes, seed, {"trees": TREES}, goal)
        return loss(predict(fitted, data.X_judge))

    return judge(hide(X, features)) < judge(X)
