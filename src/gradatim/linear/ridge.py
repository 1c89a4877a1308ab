r"""Ridge regression, and the prior that it is the posterior mode of.

.. math::
    E(w,b)=\frac1N\sum_n (w^\top x_n+b-t_n)^2+\frac{\gamma}{2}\lVert w\rVert^2
    \;\Rightarrow\; \bigl(X^\top X+\tfrac{\gamma N}{2}I\bigr)w=X^\top t \quad\text{(centred)}

or with the sum of squares in place of the mean, :math:`\gamma/2` in place of :math:`\gamma N/2`. The
bias is not penalized. In the eigenbasis of the Hessian :math:`H` of the unpenalized error, each
component of the least-squares solution shrinks by :math:`\lambda_i/(\lambda_i+\gamma)`.
scikit-learn's ``Ridge(alpha)`` penalizes the sum of squares by :math:`\alpha\lVert w\rVert^2`:
:math:`\alpha=\gamma N/2` for the mean, :math:`\gamma/2` for the sum.
"""

import torch
from torch import Tensor

from gradatim.errors import choose, require
from gradatim.linear.affine import Affine
from gradatim.linear.inputs import Array
from gradatim.linear.least_squares import fit_centred

REDUCTIONS = ("mean", "sum")
OBJECTIVES = ("mse", "sse", "nll_mean", "nll_sum")


def fit_ridge(
    X: Array, y: Array, *, weight_decay: float, reduction: str = "mean", fit_intercept: bool = True
) -> Affine:
    r"""Fit a linear model with an L2 penalty, in double precision.

    Args:
        X: Inputs, shape ``(N, d)`` or ``(N,)``.
        y: Targets, shape ``(N,)`` or ``(N, K)``.
        weight_decay: :math:`\gamma>0`; the penalty is :math:`\frac\gamma2\lVert w\rVert^2`.
        reduction: Whether the squared errors are averaged (``"mean"``) or added (``"sum"``).
        fit_intercept: Whether to fit a bias.

    Example:
        >>> X, y = torch.tensor([1.0, -1.0]), torch.tensor([2.0, -2.0])
        >>> fit_ridge(X, y, weight_decay=2.0).weight  # 2 · 1 / (1 + 1)
        tensor([1.], dtype=torch.float64)
    """
    choose("fit_ridge", "reduction", reduction, REDUCTIONS)
    rule = "fit_ridge: weight_decay must be positive"
    require(weight_decay > 0, rule, weight_decay, "Try fit_least_squares for no penalty.")

    def solve(X: Tensor, y: Tensor) -> Tensor:
        num_samples, dim = X.shape
        size = min(dim, num_samples)
        penalty = weight_decay / 2 * (num_samples if reduction == "mean" else 1)
        ridge = penalty * torch.eye(size, dtype=X.dtype)
        if dim <= num_samples:
            return torch.linalg.solve(X.T @ X + ridge, X.T @ y)
        return X.T @ torch.linalg.solve(X @ X.T + ridge, y)  # the same, by an N × N system

    return fit_centred("fit_ridge", X, y, solve, fit_intercept=fit_intercept)


def map_weight_decay(
    prior_variance: float,
    *,
    noise_variance: float = 1.0,
    num_samples: int = 1,
    objective: str = "mse",
) -> float:
    r"""Weight decay :math:`\gamma` that makes the penalized optimum the MAP estimate.

    With a prior :math:`w\sim N(0,\sigma^2I)` and Gaussian noise of variance :math:`s^2` on :math:`N`
    targets, :math:`-\log p(w\mid D)=\frac1{2s^2}\sum_n e_n^2+\frac1{2\sigma^2}\lVert w\rVert^2` + const.
    Scaled to the error in use, plus :math:`\frac\gamma2\lVert w\rVert^2`:

    ============  ==================================================  ======================
    objective     error                                               :math:`\gamma`
    ============  ==================================================  ======================
    ``nll_sum``   :math:`-\sum_n\log p(t_n\mid x_n,w)`                :math:`1/\sigma^2`
    ``nll_mean``  the same over :math:`N`                             :math:`1/(N\sigma^2)`
    ``sse``       :math:`\sum_n e_n^2`                                :math:`2s^2/\sigma^2`
    ``mse``       :math:`\frac1N\sum_n e_n^2`                         :math:`2s^2/(N\sigma^2)`
    ============  ==================================================  ======================

    Args:
        prior_variance: :math:`\sigma^2`, small for a strong belief in small weights.
        noise_variance: :math:`s^2`; only the squared errors need it.
        num_samples: :math:`N`; only the means need it.
        objective: Row of the table.

    Example:
        >>> map_weight_decay(0.5, noise_variance=0.1, num_samples=100, objective="mse")
        0.004
    """
    choose("map_weight_decay", "objective", objective, OBJECTIVES)
    rule = "map_weight_decay: prior_variance, noise_variance and num_samples must be positive"
    got = f"{prior_variance}, {noise_variance}, {num_samples}"
    require(min(prior_variance, noise_variance, num_samples) > 0, rule, got)
    scale = 1.0 if objective.startswith("nll") else 2 * noise_variance
    count = num_samples if objective in ("mse", "nll_mean") else 1
    return scale / (count * prior_variance)
