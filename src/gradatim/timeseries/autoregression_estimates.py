r"""Two estimates of an autoregression :math:`x_t=c+\sum_kA_kx_{t-k}+\epsilon_t`, from values ``(T, D)``.

Both return the coefficients ``(p, D, D)``, the intercept ``(D,)`` and the noise covariance ``(D, D)``.
"""

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.timeseries.autocovariance import autocovariance
from gradatim.timeseries.sliding import windows

Estimate = tuple[Tensor, Tensor, Tensor]


def least_squares(values: Tensor, order: int, fit_intercept: bool) -> Estimate:
    """Regress every step on the ``order`` steps before it."""
    past, future = windows(values, order)
    X, y = past.flip(1).flatten(1), future[:, 0]  # newest lag first: (N, p·D), (N, D)
    x_mean, y_mean = (X.mean(0), y.mean(0)) if fit_intercept else (0 * X[0], 0 * y[0])
    X, y = X - x_mean, y - y_mean
    if torch.linalg.matrix_rank(X) < X.shape[1]:
        raise _dependent(order)
    weight = torch.linalg.lstsq(X, y).solution  # (p·D, D)
    residual = y - X @ weight
    A = weight.unflatten(0, (order, -1)).mT
    return A, y_mean - x_mean @ weight, residual.T @ residual / len(y)


def yule_walker(values: Tensor, order: int, fit_intercept: bool) -> Estimate:
    r"""Solve :math:`\Gamma_k=\sum_jA_j\Gamma_{k-j}` for :math:`k=1,\dots,p`, with :math:`\Gamma_{-k}=\Gamma_k^\top`."""
    mean = values.mean(0) if fit_intercept else 0 * values[0]
    gammas = autocovariance(values, order, centre=fit_intercept)
    both = torch.cat([gammas[1:].flip(0).mT, gammas])  # lags -p … p
    place = torch.arange(order)
    blocks = both[place[None, :] - place[:, None] + order]  # block (j, k) is Γ_{k-j}: (p, p, D, D)
    toeplitz = blocks.movedim(2, 1).flatten(2).flatten(0, 1)  # (p·D, p·D)
    if torch.linalg.matrix_rank(toeplitz, hermitian=True) < len(toeplitz):
        raise _dependent(order)
    right = gammas[1:].movedim(0, 1).flatten(1)  # Γ_1 … Γ_p side by side: (D, p·D)
    stacked = torch.linalg.solve(toeplitz, right, left=False)  # A_1 … A_p side by side
    A = stacked.unflatten(1, (order, -1)).movedim(1, 0)
    noise = gammas[0] - stacked @ right.T
    return A, mean - A.sum(0) @ mean, (noise + noise.T) / 2


def _dependent(order: int) -> InvalidValue:
    return InvalidValue(
        "AR.fit: series must vary enough to tell its lags apart, got linearly dependent lags at "
        f"order={order}. Lower the order, or leave constant variables out."
    )
