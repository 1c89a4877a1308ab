r"""Does the network beat the best simple model, and which one to take.

Scores of folds share training rows, so their differences :math:`d_j` are not independent. Nadeau and Bengio correct
the variance of their mean by the ratio of judging to training rows:

.. math:: \bar d \pm t_{J-1}\,\sqrt{\Bigl(\tfrac1J + \tfrac{n_{judge}}{n_{train}}\Bigr)\, s_d^2}
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

from gradatim.fitting.player import NETWORK
from gradatim.reports.values import format_value


class Interval(NamedTuple):
    """A mean, its corrected standard error, and the ends of its confidence interval."""

    mean: float
    error: float
    low: float
    high: float


class Verdict(NamedTuple):
    """The conclusion.

    Args:
        metric: The figure that decided.
        best_simple: The simple model with the best mean score.
        recommended: The model to use.
        difference: Network minus best simple model; ``None`` without a network.
        network_wins: Whether the whole interval speaks for the network.
        sentence: The conclusion in words.
    """

    metric: str
    best_simple: str
    recommended: str
    difference: Interval | None
    network_wins: bool
    sentence: str


def corrected_interval(
    values: Sequence[float] | np.ndarray, ratio: float, confidence: float = 0.95
) -> Interval:
    """Mean of fold values with its confidence interval, corrected for shared training rows.

    Args:
        values: One value (or difference) per fold, at least two.
        ratio: Judging rows per training row.
        confidence: Probability that the interval covers.

    Example:
        >>> corrected_interval([1.0, 3.0], 0.25).mean
        2.0

    Reference:
        Nadeau and Bengio, Inference for the Generalization Error, 2003.
    """
    d = np.asarray(values, dtype=np.float64)
    error = float(np.sqrt((1.0 / len(d) + ratio) * d.var(ddof=1)))
    reach = float(stats.t.ppf(0.5 + confidence / 2, len(d) - 1)) * error
    return Interval(float(d.mean()), error, float(d.mean()) - reach, float(d.mean()) + reach)


def decide(
    simple: Mapping[str, np.ndarray], network: np.ndarray | None, ratio: float, metric: str
) -> Verdict:
    """Compare the network with the best simple model and apply Occam's rule.

    The network is recommended only if the interval of the difference lies on its side as a whole. Otherwise
    the simplest model within one standard error of the best simple one is.

    Args:
        simple: Scores of every simple model on every fold, the simplest first; smaller is better.
        network: Scores of the network; ``None`` where it could not be trained.
        ratio: Judging rows per training row.
        metric: Name of the score.
    """
    best = min(simple, key=lambda name: simple[name].mean())
    difference = None if network is None else corrected_interval(network - simple[best], ratio)
    wins = difference is not None and difference.high < 0.0
    recommended = NETWORK if wins else _simplest(simple, best, ratio)
    sentence = _sentence(difference, best, recommended, metric)
    return Verdict(metric, best, recommended, difference, wins, sentence)


def _simplest(simple: Mapping[str, np.ndarray], best: str, ratio: float) -> str:
    for name, scores in simple.items():
        gap = corrected_interval(scores - simple[best], ratio)
        if gap.mean <= gap.error or name == best:
            return name
    return best


def _sentence(difference: Interval | None, best: str, recommended: str, metric: str) -> str:
    if difference is None:
        return f"The network could not be trained. Recommended: {recommended}."
    mean, low, high = (format_value(abs(v) if v is difference.mean else v) for v in (difference.mean, difference.low, difference.high))  # fmt: skip
    direction = "lower" if difference.mean < 0 else "higher"
    interval = f"95 % interval of the difference {low} to {high}"
    gap = f"its {metric} is {mean} {direction} ({interval})"
    if difference.high < 0:
        return f"The network beats the best simple model, {best}: {gap}. Recommended: the network."
    word = "is worse than" if difference.low > 0 else "does not clearly beat"
    reason = ""
    if recommended != best:
        reason = f", the simplest within one standard error of {best}"
    return f"The network {word} the best simple model, {best}: {gap}. Recommended: {recommended}{reason}."
