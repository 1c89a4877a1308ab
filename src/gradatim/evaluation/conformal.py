"""Thresholds that keep a promise: how often normal data raise an alarm, how often an interval or a set holds the truth."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gradatim.errors import require
from gradatim.training.row_weights import check_weights

_ROUNDING = 1e-9  # of n + 1 times a share, which may be a whole number


def conformal_threshold(scores: ArrayLike, alarms: float) -> float:
    r"""The score above which at most a share ``alarms`` of new normal data lie.

    .. math:: \hat q = s_{(k)}, \qquad k = \lceil (n+1)(1-\alpha) \rceil, \qquad P(s_{n+1} > \hat q) \le \alpha

    The promise holds for any scores and any number :math:`n` of them, as long as new data are drawn as these were and no
    model has learned from them. It is one on the average over what may be drawn, not for one draw.

    Args:
        scores: Scores :math:`s_{(1)} \le \dots \le s_{(n)}` of normal data that were held out, in any order.
        alarms: Share :math:`\alpha` of alarms, at least :math:`1/(n+1)` and less than 1.

    Example:
        >>> conformal_threshold(np.arange(1, 100), 0.1)
        90.0

    Reference:
        Vovk et al., Algorithmic Learning in a Random World, 2005; Laxhammar and Falkman, 2014, for anomalies.
    """
    ordered = np.sort(np.asarray(scores, dtype=float).ravel())
    n = len(ordered)
    require(n > 0, "conformal_threshold: scores must be at least one", "none")
    require(bool(np.isfinite(ordered).all()), "conformal_threshold: scores must be finite", "others")  # fmt: skip
    k = math.ceil((n + 1) * (1.0 - float(alarms)) - _ROUNDING)
    rule = f"conformal_threshold: alarms must be at least 1/(n + 1) = {1 / (n + 1):.4g} and less than 1 for {n} scores"
    require(1 <= k <= n, rule, alarms, "Hold out more." if k > n else "")
    return float(ordered[k - 1])


def conformal_radius(scores: ArrayLike, coverage: float, weight: ArrayLike | None = None) -> float:
    r"""How far from a prediction the truth lies, at most, in a share ``coverage`` of new cases.

    .. math:: \hat q = s_{(k)}, \qquad k = \lceil (n+1)\,c \rceil, \qquad P(s_{n+1} \le \hat q) \ge c

    Where rows weigh, :math:`\hat q` is the smallest score below or at which lies the weight
    :math:`c\,(\sum_i w_i + \bar w)`; a new case weighs :math:`\bar w=\sum_i w_i^2/\sum_i w_i`, as a row does that is drawn by
    its weight. Equal weights give the first formula.

    Args:
        scores: Distances :math:`s_i` of predictions from the truth, such as :math:`|y_i-\hat y_i|`, of rows that the model
            has not learned from.
        coverage: Share :math:`c`, in (0, 1).
        weight: How much each score counts, :math:`w_i`; all the same by default.

    Returns:
        The radius; infinite where :math:`n` scores are too few to promise that much, :math:`k>n`.

    Example:
        >>> conformal_radius([3.0, 1.0, 2.0, 4.0], 0.5), conformal_radius([3.0, 1.0, 2.0, 4.0], 0.9)
        (3.0, inf)

    Reference:
        Tibshirani et al., Conformal Prediction Under Covariate Shift, 2019, for weights.
    """
    owner = "conformal_radius"
    values = np.asarray(scores, dtype=float).ravel()
    require(not np.isnan(values).any(), f"{owner}: scores must be numbers", "NaN")
    require(0 < coverage < 1, f"{owner}: coverage must be in (0, 1)", coverage, "Try 0.9.")
    order = np.argsort(values, kind="stable")
    if weight is None:
        k = math.ceil((len(values) + 1) * float(coverage) - _ROUNDING)
        return float(values[order[k - 1]]) if k <= len(values) else math.inf
    w = check_weights(owner, "weight", weight, len(values))[order]
    sums = np.cumsum(w / w.sum())  # of 1
    needed = float(coverage) * (1 + 1 / effective_count(w))
    place = int(np.searchsorted(sums, needed - _ROUNDING))
    return float(values[order[place]]) if place < len(w) else math.inf


def effective_count(weight: ArrayLike) -> float:
    r"""Equal rows that tell as much as rows of these weights, :math:`(\sum_i w_i)^2/\sum_i w_i^2`.

    Args:
        weight: :math:`w_i`, not all zero.

    Example:
        >>> effective_count([1.0, 1.0, 1.0]), effective_count([8.0, 1.0, 1.0])
        (3.0, 1.5151515151515151)
    """
    w = np.asarray(weight, dtype=float)
    w = w / w.max()
    return float(w.sum() ** 2 / (w**2).sum())


def largest_coverage(count: float) -> float:
    r"""The largest share that so many scores can promise, :math:`n/(n+1)`.

    Args:
        count: Scores :math:`n`; where they weigh, their :func:`effective_count`.

    Example:
        >>> largest_coverage(9)
        0.9
    """
    return count / (count + 1)


def prediction_sets(
    probabilities: ArrayLike,
    scores: ArrayLike,
    coverage: float,
    weight: ArrayLike | None = None,
) -> NDArray[np.bool_]:
    r"""The classes that are not ruled out, with the true one among them in a share ``coverage`` of new cases.

    .. math:: \{k : 1-p_k(x) \le \hat q\} \cup \{\arg\max_kp_k(x)\}

    with :math:`\hat q` the :func:`conformal_radius` of the scores. The likeliest class belongs to every set, since an empty
    set would say nothing; the share may be larger by as much.

    Args:
        probabilities: :math:`p`, shape ``(N, K)``.
        scores: :math:`1-p` of the true class, of rows that the model has not learned from.
        coverage: Share of new cases, in (0, 1).
        weight: How much each score counts; all the same by default.

    Returns:
        Whether a class belongs to the set, shape ``(N, K)``.

    Example:
        >>> prediction_sets([[0.7, 0.3], [0.95, 0.05]], [0.1, 0.2, 0.4, 0.8], 0.8).tolist()
        [[True, True], [True, False]]
    """
    p = np.asarray(probabilities, dtype=float)
    rule = "prediction_sets: probabilities must have shape (N, K) with K from 1"
    require(p.ndim == 2 and p.shape[1] >= 1, rule, p.shape)
    require(not np.isnan(p).any(), "prediction_sets: probabilities must be numbers", "NaN")
    found = 1 - p <= conformal_radius(scores, coverage, weight)
    found[np.arange(len(p)), p.argmax(1)] = True
    return found
