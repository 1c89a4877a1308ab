"""Cut a series into windows of the past and the values that follow them."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


@takes_arrays
def windows(
    series: Tensor, length: int, *, horizon: int = 1, stride: int = 1
) -> tuple[Tensor, Tensor]:
    r"""Pair every stretch of ``length`` steps with the ``horizon`` steps after it.

    .. math:: X_i=(x_{is},\dots,x_{is+p-1}),\qquad Y_i=(x_{is+p},\dots,x_{is+p+h-1})

    Both are views of the series: nothing is copied, however much the windows overlap.

    Args:
        series: Values in the order of time, shape ``(T,)`` or ``(T, D)``.
        length: Steps :math:`p` of the past in a window.
        horizon: Steps :math:`h` to predict; 0 gives windows alone.
        stride: Steps :math:`s` from one window to the next.

    Returns:
        Windows of shape ``(N, length, D)`` and targets of shape ``(N, horizon, D)``, oldest step first,
        without the last axis for a series without it; :math:`N=\lfloor(T-p-h)/s\rfloor+1`.

    Example:
        >>> past, future = windows(torch.arange(6), 3, horizon=2)
        >>> past.tolist(), future.tolist()
        ([[0, 1, 2], [1, 2, 3]], [[3, 4], [4, 5]])
    """
    if series.ndim not in (1, 2):
        raise InvalidValue(
            f"windows: series must be (steps,) or (steps, variables), got shape {tuple(series.shape)}."
        )
    if length < 1 or horizon < 0 or stride < 1:
        raise InvalidValue(
            "windows: length and stride must be at least 1 and horizon at least 0, "
            f"got {length}, {stride} and {horizon}."
        )
    if len(series) < length + horizon:
        raise InvalidValue(
            f"windows: series must have at least length + horizon = {length + horizon} steps, "
            f"got {len(series)}. Try shorter windows."
        )
    if series.is_floating_point() and torch.isnan(series).any():
        raise InvalidValue(
            "windows: series must not hold NaN, got some. Drop or interpolate missing values."
        )
    pieces = series.unfold(0, length + horizon, stride)  # (N, D, p + h)
    pieces = pieces.movedim(-1, 1)  # (N, p + h, D)
    return pieces[:, :length], pieces[:, length:]
