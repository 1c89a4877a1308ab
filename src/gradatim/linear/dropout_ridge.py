r"""Dropout on the inputs of linear regression is ridge regression, feature by feature.

With inverted dropout :math:`\tilde x=m\odot x/p`, :math:`m_j\sim\operatorname{Bernoulli}(p)`, the
squared error averaged over all masks is

.. math::
    \mathbb E_m\Bigl[\frac1N\sum_n(w^\top\tilde x_n+b-t_n)^2\Bigr]
    =\frac1N\sum_n(w^\top x_n+b-t_n)^2+\frac{1-p}{p}\sum_j s_j\,w_j^2, \qquad
    s_j=\frac1N\sum_n x_{nj}^2

an L2 penalty that adapts: a feature pays by its own size :math:`s_j`. On features with
:math:`s_j=1` it is ridge with :math:`\gamma=2(1-p)/p`.
"""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.linear.affine import Affine
from gradatim.linear.inputs import Array, as_design
from gradatim.linear.least_squares import fit_centred


def _check(owner: str, keep: float) -> None:
    require(0.0 < keep <= 1.0, f"{owner}: keep must be in (0, 1]", keep, "Try keep=0.8.")


@takes_arrays
def dropout_penalty(weight: Tensor, X: Array, *, keep: float) -> Tensor:
    r"""What dropout on ``X`` adds to the mean squared error: :math:`\frac{1-p}p\sum_j s_jw_j^2`.

    Args:
        weight: :math:`w`, shape ``(d,)``.
        X: Inputs, shape ``(N, d)``.
        keep: :math:`p`, the probability to keep an input.

    Example:
        >>> dropout_penalty(torch.tensor([2.0]), torch.tensor([[1.0], [3.0]]), keep=0.5)  # 1 · 5 · 4
        tensor(20., dtype=torch.float64)
    """
    _check("dropout_penalty", keep)
    size = as_design("dropout_penalty", X).square().mean(0)  # (d,)
    return (1 - keep) / keep * (size * weight.double().square()).sum()


def fit_dropout_ridge(X: Array, y: Array, *, keep: float, fit_intercept: bool = True) -> Affine:
    r"""Fit the linear model that dropout on the inputs tends to, without sampling a mask.

    .. math:: \Bigl(\tfrac1N X_c^\top X_c+\tfrac{1-p}{p}\operatorname{diag}(s)\Bigr)w=\tfrac1N X_c^\top t_c

    with centred :math:`X_c,t_c` where there is a bias, which is never dropped.

    Args:
        X: Inputs, shape ``(N, d)`` or ``(N,)``.
        y: Targets, shape ``(N,)`` or ``(N, K)``.
        keep: :math:`p`, the probability to keep an input; 1 is least squares.
        fit_intercept: Whether to fit a bias.

    Example:
        >>> X, y = torch.tensor([1.0, -1.0]), torch.tensor([2.0, -2.0])
        >>> fit_dropout_ridge(X, y, keep=0.5).weight  # 2 / (1 + 1)
        tensor([1.], dtype=torch.float64)
    """
    _check("fit_dropout_ridge", keep)
    size = as_design("fit_dropout_ridge", X).square().mean(0)  # (d,)

    def solve(X: Tensor, y: Tensor) -> Tensor:
        gram = X.T @ X / len(X) + ((1 - keep) / keep * size).diag()
        moment = (X.T @ y / len(X)).reshape(len(gram), -1)
        return torch.linalg.lstsq(gram, moment).solution.reshape(len(gram), *y.shape[1:])

    return fit_centred("fit_dropout_ridge", X, y, solve, fit_intercept=fit_intercept)
