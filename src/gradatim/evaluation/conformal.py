"""Thresholds that keep a promise: how often normal data raise an alarm."""

import math

import numpy as np
from numpy.typing import ArrayLike

from gradatim.errors import require

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
