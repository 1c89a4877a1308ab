"""How well scores tell anomalies from normal data."""

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import roc_curve

from gradatim.errors import require


def missed_share(normal: ArrayLike, odd: ArrayLike, most: float = 1.0) -> float:
    r"""The mean share of anomalies missed, over all thresholds that give a share of false alarms up to ``most``.

    .. math:: \frac1m\int_0^m 1 - \text{TPR}(f)\,df

    With :math:`m = 1` it is one less the area under the ROC curve. A smaller :math:`m` looks only at thresholds that
    somebody would use. Scores that say nothing get :math:`1 - m/2`.

    Args:
        normal: Scores of normal data; higher is odder.
        odd: Scores of anomalies.
        most: Most false alarms :math:`m`, more than 0 and at most 1.

    Example:
        >>> missed_share([1, 2, 3, 4], [3.5, 9]), missed_share([1, 2, 3, 4], [3.5, 9], most=0.25)
        (0.125, 0.5)

    Reference:
        McClish, Analyzing a Portion of the ROC Curve, 1989.
    """
    low, high = (np.asarray(part, dtype=float).ravel() for part in (normal, odd))
    require(len(low) and len(high), "missed_share: normal and odd must hold scores", f"{len(low)} and {len(high)}")  # fmt: skip
    require(0.0 < most <= 1.0, "missed_share: most must be more than 0 and at most 1", most)
    truth = np.repeat([0, 1], [len(low), len(high)])
    false, true, _ = roc_curve(truth, np.concatenate([low, high]), drop_intermediate=False)
    stop = int(np.searchsorted(false, most, side="right"))  # a step up at the end adds nothing
    x = np.append(false[:stop], most)
    y = np.append(true[:stop], np.interp(most, false[stop - 1 :], true[stop - 1 :]))
    return 1.0 - float(np.trapezoid(y, x)) / most
