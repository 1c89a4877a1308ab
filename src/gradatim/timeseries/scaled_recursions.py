r"""Forward and backward recursions of a hidden Markov model, rescaled at every step.

.. math::
    \hat\alpha_t(j)=\frac1{c_t}\sum_i\hat\alpha_{t-1}(i)\,a_{ij}\,b_j(y_t),\qquad
    \hat\beta_t(i)=\sum_ja_{ij}\,\frac{b_j(y_{t+1})}{c_{t+1}}\hat\beta_{t+1}(j)

with :math:`c_t` such that :math:`\sum_j\hat\alpha_t(j)=1`, so that :math:`\log P(y)=\sum_t\log c_t` and
:math:`P(s_t=i\mid y)=\hat\alpha_t(i)\hat\beta_t(i)`. A step is a small matrix product over all sequences; at
this size NumPy costs less per call than PyTorch.

Scaling is as good as logarithms as long as nothing is lost that matters later. A share of
:math:`\hat\alpha` below the smallest float is lost; it would matter only if its
:math:`\hat\beta` were beyond the largest, or if it were all there is. :func:`is_exact` checks both, and the
caller turns to logarithms where it says no.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SURE = 1e-100  # if every transition is this probable, whatever was lost comes back at the next step
LIMIT = 1e250


class Forward(NamedTuple):
    """Scaled forward variables ``(T, B, K)``, and their scales :math:`c_t`, repeated for each state."""

    alpha: Floats
    scale: Floats


class Backward(NamedTuple):
    r"""Scaled backward variables, and :math:`b_j(y_t)\hat\beta_t(j)/c_t`, both ``(T, B, K)``."""

    beta: Floats
    weight: Floats


def forward(start: Floats, transition: Floats, likelihood: Floats) -> Forward:
    """Run the first recursion over likelihoods ``(T, B, K)``, from ``start``, ``(K,)`` or ``(B, K)``."""
    alpha, scale = np.empty_like(likelihood), np.empty_like(likelihood)
    sums = np.ones_like(transition)  # a product with it sums over states into all columns
    for t, (a, b, c) in enumerate(zip(alpha, likelihood, scale, strict=True)):
        if t:
            np.matmul(alpha[t - 1], transition, out=a)
            np.multiply(a, b, out=a)
        else:
            np.multiply(b, start, out=a)
        np.matmul(a, sums, out=c)
        np.divide(a, c, out=a)
    return Forward(alpha, scale)


def backward(
    transition: Floats, likelihood: Floats, scale: Floats, last: Floats | float = 1.0
) -> Backward:
    """Run the second recursion, from ``last`` at the last step."""
    beta, weight = np.empty_like(likelihood), likelihood / scale
    columns = np.ascontiguousarray(transition.T)
    beta[-1] = last
    for t in range(len(beta) - 1, -1, -1):
        np.multiply(weight[t], beta[t], out=weight[t])
        if t:
            np.matmul(weight[t], columns, out=beta[t - 1])
    return Backward(beta, weight)


def is_exact(transition: Floats, ahead: Forward, back: Backward | None) -> bool:
    """Whether the recursions lost nothing that matters; without ``back``, only if that is sure anyway."""
    if not (ahead.scale[..., 0] > 0).all():
        return False
    if transition.min() >= SURE:
        return True
    return back is not None and bool(back.beta.max() < LIMIT)
