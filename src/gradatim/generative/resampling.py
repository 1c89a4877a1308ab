"""How far chance moves a figure of samples: the Bayesian bootstrap, which weighs rows instead of drawing some twice."""

from typing import NamedTuple

import torch
from scipy import stats
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


class Estimate(NamedTuple):
    """A figure, and the ends of its interval."""

    value: float
    low: float
    high: float


def random_weights(
    num_rows: int, num_resamples: int = 200, *, generator: torch.Generator | None = None
) -> Tensor:
    r"""Weights of rows, one set per resample, each of sum 1.

    .. math:: w_i = e_i / \textstyle\sum_j e_j, \qquad e_i \sim \mathrm{Exp}(1)

    A bootstrap by drawing has some rows twice, at distance 0 of each other, and every figure of neighbours or pairs
    is then of other rows than one has. Weights leave the rows as they are.

    Args:
        num_rows: Rows :math:`N`.
        num_resamples: Sets of weights :math:`B`.
        generator: Source of randomness.

    Returns:
        Shape ``(B, N)``, double precision.

    Example:
        >>> weights = random_weights(5, 3)
        >>> weights.shape, bool(torch.allclose(weights.sum(1), torch.ones(3).double()))
        (torch.Size([3, 5]), True)

    Reference:
        Rubin, The Bayesian Bootstrap, 1981.
    """
    require(min(num_rows, num_resamples) >= 1, "random_weights: num_rows and num_resamples must be at least 1", f"{num_rows} and {num_resamples}")  # fmt: skip
    drawn = torch.empty(num_resamples, num_rows, dtype=torch.float64)
    drawn.exponential_(generator=generator)
    return drawn / drawn.sum(1, keepdim=True)


@takes_arrays
def interval_around(value: float, resampled: Tensor, level: float = 0.95) -> Estimate:
    r"""Lay the spread of a resampled figure around the figure itself.

    .. math:: [\hat\theta + q_{\alpha/2},\ \hat\theta + q_{1-\alpha/2}], \qquad
        q\text{: quantiles of }\theta^* - \overline{\theta^*}

    Weighted rows are fewer rows in effect, so that a distance of them is a little too large; the mean of the resamples
    is taken off, and their spread remains.

    Args:
        value: :math:`\hat\theta`.
        resampled: :math:`\theta^*`, shape ``(B,)``.
        level: Probability that the interval is right.

    Example:
        >>> interval = interval_around(1.0, torch.linspace(-1, 1, 101), 0.9)
        >>> round(interval.low, 3), round(interval.high, 3)
        (0.1, 1.9)
    """
    require(0 < level < 1, "interval_around: level must be in (0, 1)", level)
    ends = torch.tensor([0.5 - level / 2, 0.5 + level / 2], dtype=torch.float64)
    low, high = (resampled.double() - resampled.double().mean()).quantile(ends).tolist()
    return Estimate(value, value + low, value + high)


@takes_arrays
def mean_interval(
    values: Tensor, level: float = 0.95, *, num_resamples: int = 1000, seed: int = 0
) -> Estimate:
    """Mean of values of independent rows, or share of those that hold, with its interval.

    Truth values get half a hit and half a miss more, so that a share of 0 or 1 has an interval too: that of Jeffreys.

    Args:
        values: Numbers or truth values, shape ``(N,)``.
        level: Probability that the interval is right.
        num_resamples: Resamples.
        seed: Fixes them.

    Example:
        >>> share = mean_interval(torch.arange(100) < 30)
        >>> share.value, 0.2 < share.low < 0.3 < share.high < 0.4
        (0.3, True)
    """
    require(values.ndim == 1 and len(values) > 0, "mean_interval: values must be a row of at least one number", tuple(values.shape))  # fmt: skip
    numbers = values.double()
    if values.dtype == torch.bool:
        hits, misses = float(numbers.sum()) + 0.5, float((1 - numbers).sum()) + 0.5
        low, high = (
            float(stats.beta.ppf(0.5 + side * level / 2, hits, misses)) for side in (-1, 1)
        )
        return Estimate(float(numbers.mean()), min(low, float(numbers.mean())), max(high, float(numbers.mean())))  # fmt: skip
    weights = random_weights(
        len(values), num_resamples, generator=torch.Generator().manual_seed(seed)
    )
    return interval_around(float(numbers.mean()), weights @ numbers, level)
