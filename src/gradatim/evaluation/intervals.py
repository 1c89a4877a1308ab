r"""Means over folds, with the interval that is honest about the rows that folds share.

Values of folds share training rows, so they are not independent. Nadeau and Bengio correct the variance of their mean
by the ratio of test to training rows:

.. math:: \bar d \pm t_{J-1}\,\sqrt{\Bigl(\tfrac1J + \tfrac{n_{test}}{n_{train}}\Bigr)\, s_d^2}
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from gradatim.evaluation.splits import Split


class Interval(NamedTuple):
    """A mean, its corrected standard error, and the ends of its confidence interval."""

    mean: float
    error: float
    low: float
    high: float


def corrected_interval(
    values: Sequence[float] | np.ndarray, ratio: float, level: float = 0.95
) -> Interval:
    r"""Mean of fold values with its confidence interval, corrected for shared training rows.

    .. math:: \bar d \pm t_{J-1}\,\sqrt{\Bigl(\tfrac1J + \rho\Bigr)\, s_d^2}

    For two models side by side the values are their differences, fold by fold: what makes a fold hard for both
    cancels out.

    Args:
        values: One value :math:`d_j` per fold, at least two.
        ratio: Test rows per training row, :math:`\rho`; see :func:`held_out_ratio`.
        level: Coverage of the interval.

    Example:
        >>> corrected_interval([1.0, 3.0], 0.25).mean
        2.0

    Reference:
        Nadeau and Bengio, Inference for the Generalization Error, 2003.
    """
    d = np.asarray(values, dtype=np.float64)
    error = float(np.sqrt((1.0 / len(d) + ratio) * d.var(ddof=1)))
    reach = float(stats.t.ppf(0.5 + level / 2, len(d) - 1)) * error
    return Interval(float(d.mean()), error, float(d.mean()) - reach, float(d.mean()) + reach)


def error_interval(
    values: Sequence[float] | np.ndarray, ratio: float, level: float = 0.95
) -> Interval:
    r"""Mean of errors over folds with an interval of factors around it, which never reaches below zero.

    .. math:: \bar d\,e^{\pm t_{J-1}\,\mathrm{SE}/\bar d}

    It is the interval of :func:`corrected_interval` for the logarithm of the mean, whose error is
    :math:`\mathrm{SE}/\bar d` to first order. Where the mean is not positive it is that interval itself.

    Args:
        values: One error :math:`d_j` per fold, at least two.
        ratio: Test rows per training row; see :func:`held_out_ratio`.
        level: Coverage of the interval.

    Example:
        >>> interval = error_interval([1.0, 3.0, 2.0], 0.0)
        >>> 0 < interval.low < 1, corrected_interval([1.0, 3.0, 2.0], 0.0).low < 0
        (True, True)
    """
    mean, error, low, high = corrected_interval(values, ratio, level)
    if not mean > 0:
        return Interval(mean, error, low, high)
    factor = float(np.exp(min((high - mean) / mean, 700.0)))
    return Interval(mean, error, mean / factor, mean * factor)


def held_out_ratio(splits: Sequence[Split]) -> float:
    """Test rows per training row, averaged over the folds.

    Args:
        splits: Training and test rows of each fold.

    Example:
        >>> held_out_ratio([(np.arange(8), np.arange(8, 10)), (np.arange(5), np.arange(5, 10))])
        0.625
    """
    return float(np.mean([len(test) / len(train) for train, test in splits]))
