r"""Does the likelihood of a softmax regression have a maximum? Only where the classes overlap.

Write :math:`a_i=(x_i,1)` and :math:`V` for one vector per class. If some direction has

.. math:: (v_{y_i}-v_k)^\top a_i\ge0\quad\text{for all }i\text{ and }k,\qquad\text{not all of them zero,}

going along it raises the likelihood for ever: the classes are separated, or some of them from some. If
there is none, the maximum exists. Linear programming decides, on the few rows that matter: it finds the
direction that gains most and wrongs none of them, and takes in those that it wrongs, until there are none.

Reference:
    Albert and Anderson, On the existence of maximum likelihood estimates in logistic regression models, 1984.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from torch import Tensor

from gradatim.linear.descent import with_ones

Floats = NDArray[np.float64]
LARGEST = 500  # unknowns that take no longer than a fit
SLACK = 1e-6  # of linear programming, which is exact to 1e-7
TAKEN = 500  # rows that a round takes in at most


def classes_overlap(design: Tensor, indices: Tensor, num_classes: int) -> bool:
    """Whether no direction raises the likelihood for ever.

    Args:
        design: Inputs with columns of mean 0 and variance 1, shape ``(N, d)``.
        indices: Classes, shape ``(N,)``.
        num_classes: :math:`K`.

    Example:
        >>> import torch
        >>> X = torch.tensor([[-1.5], [-0.5], [0.5], [1.5]])
        >>> classes_overlap(X, torch.tensor([0, 1, 0, 1]), 2)
        True
        >>> classes_overlap(X, torch.tensor([0, 0, 1, 1]), 2)
        False
    """
    a, y, K = with_ones(design).double().numpy(), indices.numpy(), num_classes
    total, gains = _row_sum(a, y, K), np.zeros((len(y), K))
    taken = np.zeros(gains.shape, bool)
    while True:
        _take_worst(taken, gains, y)
        matrix = _constraints(a, y, K, taken)
        found = linprog(-total, A_ub=-matrix, b_ub=np.zeros(len(matrix)), bounds=(-1, 1)).x
        assert found is not None  # standing still is allowed
        gains = _gains(a, y, found.reshape(K, -1).T)
        if gains.max() <= SLACK:
            return True
        if gains.min() >= -SLACK:
            return False


def _gains(a: Floats, y: NDArray[np.int64], V: Floats) -> Floats:
    """What a direction gains for each row and class, ``(N, K)``; zero for its own class."""
    scores = a @ V
    return np.asarray(scores[np.arange(len(y)), y][:, None] - scores)


def _row_sum(a: Floats, y: NDArray[np.int64], K: int) -> Floats:
    """The gradient of the sum of all gains, class by class, ``(K · (d + 1),)``."""
    own = np.stack([K * a[y == k].sum(0) for k in range(K)]) - a.sum(0)
    return np.asarray(own.ravel() / len(a))


def _take_worst(taken: NDArray[np.bool_], gains: Floats, y: NDArray[np.int64]) -> None:
    """Take in the pairs of row and class that the direction wrongs most."""
    open_ = np.where(taken, np.inf, gains)
    open_[np.arange(len(y)), y] = np.inf
    count = min(TAKEN, int(np.isfinite(open_).sum()))
    worst = np.argpartition(open_.ravel(), count - 1)[:count]
    taken.ravel()[worst] = True


def _constraints(a: Floats, y: NDArray[np.int64], K: int, taken: NDArray[np.bool_]) -> Floats:
    """Rows ``(v_y - v_k) · a`` of the pairs taken, as functions of all entries of V."""
    i, k = taken.nonzero()
    matrix = np.zeros((len(i), K, a.shape[1]))
    places = np.arange(len(i))
    matrix[places, y[i]] = a[i]
    matrix[places, k] = -a[i]
    return matrix.reshape(len(i), -1)
