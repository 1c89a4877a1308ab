r"""Least squares: three roads to one solution, and the shortest solution where there are many.

.. math::
    w^\star=\arg\min_w \lVert Xw-y\rVert^2 \;\Rightarrow\; X^\top X\,w^\star=X^\top y,
    \qquad X=QR \;\Rightarrow\; Rw^\star=Q^\top y

It is the maximum-likelihood estimate under :math:`y=Xw+\epsilon` with Gaussian :math:`\epsilon`. The
normal equations square the condition number of :math:`X` and so lose twice the digits of QR. A bias is
fitted by centring: :math:`b=\bar y-\bar x^\top w`.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from gradatim.errors import InvalidValue, choose, require
from gradatim.linear.affine import Affine
from gradatim.linear.descent import descend_least_squares, hessian_condition
from gradatim.linear.inputs import Array, as_design, as_target

Solver = Callable[[Tensor, Tensor], Tensor]  # inputs and targets to weights


def fit_centred(
    owner: str,
    X: Array,
    y: Array,
    solve: Solver,
    *,
    fit_intercept: bool,
) -> Affine:
    """Take the means out of a problem, ``solve`` it for the weights, put the bias back; without one the means stay in."""
    design = as_design(owner, X)
    target = as_target(owner, y, len(design))
    x_mean, y_mean = design.mean(0) * fit_intercept, target.mean(0) * fit_intercept
    weight = solve(design - x_mean, target - y_mean)
    return Affine(weight, y_mean - x_mean @ weight)


def _dependent(X: Tensor, method: str) -> InvalidValue:
    return InvalidValue(
        f"fit_least_squares: X must have independent columns for method={method!r}, got rank "
        f"{int(torch.linalg.matrix_rank(X))} with {X.shape[1]} columns. "
        "Try fit_minimum_norm or fit_ridge."
    )


def _qr(X: Tensor, y: Tensor) -> Tensor:
    if X.shape[0] < X.shape[1]:
        raise _dependent(X, "qr")
    Q, R = torch.linalg.qr(X)
    diagonal = R.diagonal().abs()
    if diagonal.min() <= 1e-13:
        raise _dependent(X, "qr")
    rhs = Q.T @ (y if y.ndim == 2 else y[:, None])
    return torch.linalg.solve_triangular(R, rhs, upper=True).reshape(-1, *y.shape[1:])


def _normal(X: Tensor, y: Tensor) -> Tensor:
    factor, failed = torch.linalg.cholesky_ex(X.T @ X)
    diagonal = factor.diagonal().abs()
    if failed or diagonal.min() <= 1e-7:
        raise _dependent(X, "normal")
    rhs = X.T @ (y if y.ndim == 2 else y[:, None])
    return torch.cholesky_solve(rhs, factor).reshape(-1, *y.shape[1:])


def _descent(X: Tensor, y: Tensor) -> Tensor:
    condition = hessian_condition(X)
    rule = "fit_least_squares: X must be well conditioned for method='descent'"
    got = f"condition number {condition:.2g}"
    require(condition <= 5e3, rule, got, "Standardize the columns, or try method='qr'.")
    steps = 100 + int(30 * condition)  # κ log(10¹²) steps reach the tolerance
    return descend_least_squares(X, y, max_steps=steps, tol=1e-12).weight


def _unit_columns(solve: Solver, X: Tensor, y: Tensor) -> Tensor:
    """Solve with columns of unit length, so that a tiny pivot means dependence, not a small unit."""
    lengths = X.norm(dim=0).clamp(min=1e-300)
    weight = solve(X / lengths, y)
    return weight / lengths.reshape(-1, *[1] * (weight.ndim - 1))


METHODS: dict[str, Solver] = {
    "qr": partial(_unit_columns, _qr),
    "normal": partial(_unit_columns, _normal),
    "descent": _descent,
}


def fit_least_squares(
    X: Array, y: Array, *, method: str = "qr", fit_intercept: bool = True
) -> Affine:
    """Fit a linear model by least squares, in double precision.

    Args:
        X: Inputs, shape ``(N, d)`` or ``(N,)``.
        y: Targets, shape ``(N,)`` or ``(N, K)``.
        method: ``"qr"``, ``"normal"`` (equations, by Cholesky) or ``"descent"`` (gradient descent).
        fit_intercept: Whether to fit a bias.

    Example:
        >>> fit = fit_least_squares(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([1.0, 3.0, 5.0]))
        >>> round(fit.weight.item(), 6), round(fit.bias.item(), 6)
        (2.0, 1.0)
    """
    choose("fit_least_squares", "method", method, METHODS)
    solve = METHODS[method]
    return fit_centred("fit_least_squares", X, y, solve, fit_intercept=fit_intercept)


def fit_minimum_norm(X: Array, y: Array, *, fit_intercept: bool = False) -> Affine:
    r"""Among all least-squares solutions, the one of least norm: :math:`w=X^+y`.

    With fewer samples than features, infinitely many weights fit exactly; gradient descent from zero
    finds this one.

    Args:
        X: Inputs, shape ``(N, d)``.
        y: Targets, shape ``(N,)`` or ``(N, K)``.
        fit_intercept: Whether to fit a bias, whose size does not count in the norm.

    Example:
        >>> fit_minimum_norm(torch.tensor([[3.0, 4.0]]), torch.tensor([25.0])).weight
        tensor([3.0000, 4.0000], dtype=torch.float64)
    """

    def solve(X: Tensor, y: Tensor) -> Tensor:
        return torch.linalg.pinv(X) @ y

    return fit_centred("fit_minimum_norm", X, y, solve, fit_intercept=fit_intercept)
