"""A share of cases, with what chance alone may have made of it."""

from typing import NamedTuple

from scipy import stats

from gradatim.errors import require


class Share(NamedTuple):
    """A share, and the ends of its interval."""

    value: float
    low: float
    high: float


def share_interval(hits: float, count: float, level: float = 0.95) -> Share:
    r"""A share of independent cases, with the interval that holds the true one at least as often as it says.

    .. math:: \Bigl[B_{\alpha/2}(h,\ n-h+1),\ B_{1-\alpha/2}(h+1,\ n-h)\Bigr], \qquad \alpha = 1-\text{level}

    with :math:`B_q(a,b)` the quantile of the beta distribution.

    Args:
        hits: Cases :math:`h` that hold; any number, where rows weigh.
        count: All cases :math:`n`.
        level: Probability that the interval is right.

    Example:
        >>> [round(end, 3) for end in share_interval(9, 10)]
        [0.9, 0.555, 0.997]

    Reference:
        Clopper and Pearson, The Use of Confidence or Fiducial Limits, 1934.
    """
    require(0 <= hits <= count and count > 0, "share_interval: hits must be from 0 to count", f"{hits} of {count}")  # fmt: skip
    rest = (1 - level) / 2
    low = float(stats.beta.ppf(rest, hits, count - hits + 1)) if hits > 0 else 0.0
    high = float(stats.beta.ppf(1 - rest, hits + 1, count - hits)) if hits < count else 1.0
    return Share(hits / count, low, high)
