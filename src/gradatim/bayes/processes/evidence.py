r"""The marginal likelihood of a Gaussian process and its gradient, from one Cholesky factor.

.. math::
    \log p(y) = -\tfrac12y^\top\alpha-\sum_i\log L_{ii}-\tfrac N2\log2\pi, \qquad LL^\top=K+\sigma^2I,\ \alpha=(LL^\top)^{-1}y

    \frac{\partial\log p(y)}{\partial\theta} = \tfrac12\,\mathrm{tr}\Bigl(\bigl(\alpha\alpha^\top-(LL^\top)^{-1}\bigr)
    \frac{\partial K}{\partial\theta}\Bigr)
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from torch import Tensor

from gradatim.bayes.processes.cholesky import inverse_triangle, safe_cholesky
from gradatim.bayes.processes.kernel import Kernel, Pullback
from gradatim.errors import InvalidValue

BOUND = 12.0  # logarithms of parameters stay within so much of where they start
Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]


class Evidence(NamedTuple):
    """What one Cholesky factor tells: the logarithm of the evidence, :math:`L`, :math:`\\alpha`, and the jitter added.

    ``pullback`` is that of the kernel's covariances.
    """

    value: Tensor
    factor: Tensor
    alpha: Tensor
    jitter: float
    pullback: Pullback


def log_evidence(kernel: Kernel, noise: float, X: Tensor, y: Tensor, owner: str) -> Evidence:
    r"""Return :math:`\log p(y)`.

    Args:
        kernel: Covariance.
        noise: :math:`\sigma^2`.
        X: Inputs, shape ``(N, d)``.
        y: Targets, shape ``(N,)``.
        owner: Who asks, for messages.
    """
    K, pullback = kernel.with_pullback(X)
    factor, jitter = safe_cholesky(owner, K, noise)
    half = torch.linalg.solve_triangular(factor, y[:, None], upper=False)
    alpha = torch.linalg.solve_triangular(factor.mT, half, upper=True)[:, 0]
    value = -(y @ alpha) / 2 - factor.diagonal().log().sum() - len(y) / 2 * math.log(2 * math.pi)
    return Evidence(value, factor, alpha, jitter, pullback)


def evidence_gradient(noise: float, found: Evidence) -> Tensor:
    """The gradient by the kernel's ``theta`` and, last, by the logarithm of the noise.

    All is symmetric: half of a trace is the sum over the upper triangle, with the half of the diagonal.
    """
    inverse = inverse_triangle(found.factor)
    weights = inverse.addr_(found.alpha, found.alpha, beta=-1).triu_()
    weights.diagonal().mul_(0.5)
    return torch.cat([found.pullback(weights), noise * weights.trace()[None]])


def maximize(
    objective: Objective, starts: list[NDArray[np.float64]], max_steps: int
) -> NDArray[np.float64]:
    """The best place that quasi-Newton steps reach from any of the starts.

    Args:
        objective: The value to be *minimized* and its gradient.
        starts: Vectors of logarithms.
        max_steps: Most steps from each start.
    """
    best: tuple[float, NDArray[np.float64]] | None = None
    for start in starts:
        bounds = [(value - BOUND, value + BOUND) for value in starts[0]]
        found = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": max_steps})  # fmt: skip
        if np.isfinite(found.fun) and (best is None or found.fun < best[0]):
            best = float(found.fun), found.x
    if best is None:
        raise InvalidValue("GaussianProcess: the evidence must be finite somewhere, got none. Scale X and y.")  # fmt: skip
    return best[1]
