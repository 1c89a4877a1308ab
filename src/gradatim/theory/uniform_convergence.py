"""How far training errors of a whole family may lie from the truth: the VC inequality and Rademacher complexity."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gradatim.errors import require, require_whole


class Estimate(NamedTuple):
    """A mean and its standard error."""

    value: float
    error: float


def vc_probability(growth: float, n: int, eps: float) -> float:
    r"""Bound on the probability that any member's training error is off by more than :math:`\epsilon`.

    .. math:: P\Bigl(\sup_{f\in\mathcal F}|\hat\ell(f)-\ell(f)|>\epsilon\Bigr) \le 8\,\mathcal F(n)\,e^{-n\epsilon^2/32}

    Args:
        growth: :math:`\mathcal F(n)`, from :func:`growth_function`.
        n: Rows.
        eps: :math:`\epsilon`.

    Returns:
        The bound, at most 1.

    Example:
        >>> round(vc_probability(1001, 100_000, 0.1), 6)
        0.0
    """
    _check("vc_probability", growth, n)
    require(eps > 0, "vc_probability: eps must be positive", eps)
    return min(1.0, math.exp(min(0.0, math.log(8) + math.log(growth) - n * eps**2 / 32)))


def vc_gap(growth: float, n: int, delta: float = 0.05) -> float:
    r"""The VC inequality solved for the gap: :math:`\epsilon = \sqrt{32\,(\ln 8\mathcal F(n)+\ln 1/\delta)/n}`.

    Args:
        growth: :math:`\mathcal F(n)`.
        n: Rows.
        delta: Probability that the bound fails.

    Example:
        >>> round(vc_gap(100_001, 100_000), 3)
        0.073
    """
    _check("vc_gap", growth, n)
    require(0 < delta < 1, "vc_gap: delta must be in (0, 1)", delta, "Try 0.05.")
    return math.sqrt(32 * (math.log(8) + math.log(growth) - math.log(delta)) / n)


def _check(owner: str, growth: float, n: int) -> None:
    require_whole(owner, n=n)
    require(growth >= 1, f"{owner}: growth must be a number of labelings, at least 1", growth)


def rademacher_complexity(labelings: ArrayLike, *, num_samples: int = 10_000, seed: int = 0) -> Estimate:  # fmt: skip
    r"""How well a family fits noise, by Monte Carlo.

    .. math:: \hat R = E_\sigma\,\max_{f\in\mathcal F}\frac1n\sum_i\sigma_i f(x_i), \qquad \sigma_i=\pm1 \text{ fair coins}

    with :math:`f(x_i)=\pm1`: 1 for a family that shatters the points, 0 for a single function.

    Args:
        labelings: The family on the points, from :func:`labelings`: true or false, shape ``(count, n)``.
        num_samples: Draws of :math:`\sigma`.
        seed: Seed of the draws.

    Example:
        >>> rademacher_complexity([[True, True], [True, False], [False, True], [False, False]])
        Estimate(value=1.0, error=0.0)
    """
    signs = np.where(np.asarray(labelings, dtype=bool), 1.0, -1.0)
    rule = "rademacher_complexity: labelings must have shape (count, n)"
    require(signs.ndim == 2 and signs.size, rule, signs.shape)
    require(num_samples >= 2, "rademacher_complexity: num_samples must be at least 2", num_samples)
    noise = np.random.default_rng(seed).choice([-1.0, 1.0], (num_samples, signs.shape[1]))
    best = np.concatenate([(block @ signs.T).max(1) for block in np.array_split(noise, max(1, num_samples * len(signs) // 10**7))])  # fmt: skip
    best /= signs.shape[1]
    return Estimate(float(best.mean()), float(best.std(ddof=1) / math.sqrt(num_samples)))
