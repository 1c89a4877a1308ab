r"""How a series resembles its own past."""

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.timeseries.inputs import Array, as_series


def autocovariance(series: Array, max_lag: int, *, centre: bool = True) -> Tensor:
    r"""Sample autocovariances, divided by the number of steps.

    .. math:: \Gamma_k=\frac1T\sum_{t=k}^{T-1}(x_t-\bar x)(x_{t-k}-\bar x)^\top

    Dividing by :math:`T` at every lag, not by the number of terms, keeps the sequence positive
    semidefinite, so that models built from it are stationary.

    Args:
        series: Values, shape ``(T,)`` or ``(T, D)``.
        max_lag: Largest lag :math:`k`.
        centre: Whether to subtract the mean; a series known to have mean zero needs none.

    Returns:
        Shape ``(max_lag + 1, D, D)``, or ``(max_lag + 1,)`` for a series of shape ``(T,)``.

    Example:
        >>> autocovariance(torch.tensor([1.0, -1.0, 1.0, -1.0]), 1)
        tensor([ 1.0000, -0.7500], dtype=torch.float64)
    """
    values = as_series("autocovariance", series)
    if not 0 <= max_lag < len(values):
        raise InvalidValue(
            f"autocovariance: max_lag must be at least 0 and below the {len(values)} steps, got {max_lag}."
        )
    x, steps = (values - values.mean(0) if centre else values), len(values)
    gammas = torch.stack([x[k:].T @ x[: steps - k] for k in range(max_lag + 1)]) / steps
    return gammas if torch.as_tensor(series).ndim == 2 else gammas[:, 0, 0]


def autocorrelation(series: Array, max_lag: int) -> Tensor:
    r"""Sample autocorrelations :math:`\rho_k=\gamma_k/\gamma_0` of each variable.

    Of white noise, about 95 % lie within :math:`\pm1.96/\sqrt T`.

    Args:
        series: Values, shape ``(T,)`` or ``(T, D)``.
        max_lag: Largest lag :math:`k`.

    Returns:
        Shape ``(max_lag + 1,)`` or ``(max_lag + 1, D)``.

    Example:
        >>> autocorrelation(torch.tensor([1.0, -1.0, 1.0, -1.0]), 1)
        tensor([ 1.0000, -0.7500], dtype=torch.float64)
    """
    gammas = autocovariance(series, max_lag)
    own = gammas.diagonal(dim1=-2, dim2=-1) if gammas.ndim == 3 else gammas
    if (own[0] <= 0).any():
        raise InvalidValue(
            "autocorrelation: series must vary, got a constant variable. Leave it out."
        )
    return own / own[0]
