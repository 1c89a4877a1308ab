r"""Bounds on the risk of a network whose weights are drawn anew for every question.

A posterior :math:`q` over weights, chosen with the help of :math:`n` rows, and a prior :math:`p`, chosen without them: with
probability :math:`1-\delta` over the rows, for all :math:`q` at once (Maurer),

.. math:: \mathrm{kl}(\hat r\,\|\,r) \le \frac{D(q\|p)+\ln(2\sqrt n/\delta)}{n} =: 2c

where :math:`\hat r` and :math:`r` are the mean losses, in [0, 1], on the rows and on new ones. What is left is to solve it for
:math:`r`, exactly or by a simpler bound that can be minimized:

.. math::
    r \le \mathrm{kl}^{-1}(\hat r, 2c) \le \bigl(\sqrt{\hat r+c}+\sqrt{c}\bigr)^2, \qquad r \le \hat r+\sqrt{c}

Some texts print the last root with :math:`2/n` in place of :math:`1/2n`, which is true too and twice as loose.
"""

import math
from typing import TypeVar

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require

Number = TypeVar("Number", float, Tensor)


def kl_inverse(risk: float, bound: float) -> float:
    r"""The largest risk that is not ruled out by the risk that was measured.

    .. math:: \mathrm{kl}^{-1}(\hat r, b) = \max\{r : \mathrm{kl}(\hat r\|r)\le b\}, \qquad
        \mathrm{kl}(\hat r\|r) = \hat r\ln\frac{\hat r}{r}+(1-\hat r)\ln\frac{1-\hat r}{1-r}

    Args:
        risk: :math:`\hat r`, in [0, 1].
        bound: :math:`b`, from 0.

    Example:
        >>> round(kl_inverse(0.0, 0.1), 6)  # 1 - exp(-b)
        0.095163
    """
    require(0 <= risk <= 1, "kl_inverse: risk must be in [0, 1]", risk)
    require(bound >= 0, "kl_inverse: bound must be at least 0", bound)
    low, high = risk, 1.0
    while high - low > 1e-15 * max(1.0, low) and low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if bernoulli_kl(risk, middle) <= bound else (low, middle)
    return high if bound > 0 else risk  # rounded to the safe side


def bernoulli_kl(first: float, second: float) -> float:
    r"""Divergence :math:`\mathrm{kl}(a\|b)` of two coins.

    Args:
        first: :math:`a`, in [0, 1].
        second: :math:`b`, in [0, 1].

    Example:
        >>> bernoulli_kl(0.5, 0.5), bernoulli_kl(1.0, 0.0)
        (0.0, inf)
    """

    def term(a: float, b: float) -> float:
        return 0.0 if a == 0 else math.inf if b == 0 else a * math.log(a / b)

    return term(first, second) + term(1 - first, 1 - second)


def mcallester_bound(risk: Number, kl: Number, n: int, delta: float = 0.05) -> Number:
    r"""McAllester's bound, :math:`\hat r+\sqrt{(D+\ln(2\sqrt n/\delta))/2n}`.

    Args:
        risk: :math:`\hat r`, mean loss on the rows over draws of the weights.
        kl: :math:`D`, divergence of posterior and prior.
        n: Rows.
        delta: Probability that the bound fails.

    Example:
        >>> round(mcallester_bound(0.1, 100.0, 10_000), 4)
        0.1736
    """
    return risk + _complexity("mcallester_bound", kl, n, delta) ** 0.5


def quadratic_bound(risk: Number, kl: Number, n: int, delta: float = 0.05) -> Number:
    r"""The bound :math:`(\sqrt{\hat r+c}+\sqrt c)^2`, tighter where the risk is small, and smooth.

    Args:
        risk: :math:`\hat r`, mean loss on the rows over draws of the weights.
        kl: :math:`D`, divergence of posterior and prior.
        n: Rows.
        delta: Probability that the bound fails.

    Example:
        >>> round(quadratic_bound(0.0, 100.0, 10_000), 4)  # 4c, where McAllester's has √c
        0.0217

    Reference:
        Rivasplata et al., PAC-Bayes with Backprop, 2019.
    """
    c = _complexity("quadratic_bound", kl, n, delta)
    return ((risk + c) ** 0.5 + c**0.5) ** 2


def maurer_bound(risk: float, kl: float, n: int, delta: float = 0.05) -> float:
    r"""The tightest of the three, :math:`\mathrm{kl}^{-1}(\hat r, (D+\ln(2\sqrt n/\delta))/n)`.

    Args:
        risk: :math:`\hat r`, mean loss on the rows over draws of the weights, in [0, 1].
        kl: :math:`D`, divergence of posterior and prior.
        n: Rows, at least 8.
        delta: Probability that the bound fails.

    Example:
        >>> round(maurer_bound(0.1, 100.0, 10_000), 4)
        0.1498

    Reference:
        Maurer, A Note on the PAC Bayesian Theorem, 2004.
    """
    return kl_inverse(risk, 2 * _complexity("maurer_bound", float(kl), n, delta))


def _complexity(owner: str, kl: Number, n: int, delta: float) -> Number:
    require(n >= 8, f"{owner}: n must be at least 8, as Maurer's proof asks", n)
    require(0 < delta < 1, f"{owner}: delta must be in (0, 1)", delta, "Try 0.05.")
    return (kl + math.log(2 * math.sqrt(n) / delta)) / (2 * n)


@takes_arrays
def gaussian_kl(mean: Tensor, std: Tensor, prior_mean: Tensor, prior_std: Tensor) -> Tensor:
    r"""Divergence of two Gaussians with independent entries.

    .. math:: D = \sum_i\ln\frac{\lambda_i}{\sigma_i}+\frac{\sigma_i^2+(\mu_i-\nu_i)^2}{2\lambda_i^2}-\frac12

    Args:
        mean: :math:`\mu`, of the posterior.
        std: :math:`\sigma>0`.
        prior_mean: :math:`\nu`; broadcasts, as all do.
        prior_std: :math:`\lambda>0`.

    Example:
        >>> gaussian_kl([1.0, 0.0], [1.0, 1.0], 0.0, 1.0)
        tensor(0.5000)
    """
    gap = (std.square() + (mean - prior_mean).square()) / (2 * prior_std.square())
    return (torch.log(prior_std / std) + gap - 0.5).sum()
