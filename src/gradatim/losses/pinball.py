"""The loss whose minimum is a quantile."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.losses.aligning import align

if TYPE_CHECKING:
    from gradatim.losses.named import Loss


@takes_arrays
def pinball_loss(output: Tensor, target: Tensor, quantile: float = 0.5) -> Tensor:
    r"""Average the pinball errors of one quantile.

    .. math:: \frac1B\sum_i \max\bigl(\tau (y_i - f_i),\ (\tau - 1)(y_i - f_i)\bigr)

    For another :math:`\tau` pass ``partial(pinball_loss, quantile=0.9)`` to a trainer.

    Args:
        output: Forecasts :math:`f`.
        target: Values :math:`y`, as many.
        quantile: :math:`\tau`, between 0 and 1.

    Example:
        >>> pinball_loss(torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0]), quantile=0.9)  # 0.9 and 0.1
        tensor(0.5000)
    """
    require(0.0 < quantile < 1.0, "pinball_loss: quantile must be between 0 and 1", quantile, "Try 0.9.")  # fmt: skip
    error = align(output, target) - output
    return torch.maximum(quantile * error, (quantile - 1) * error).mean()


def quantile_loss(quantiles: Sequence[float]) -> "Loss":
    r"""Make the pinball loss of several quantiles.

    .. math:: E = \frac{1}{nQ}\sum_{i,q} \max\bigl(\tau_q (y_i - f_{iq}),\ (\tau_q - 1)(y_i - f_{iq})\bigr)

    The best constant :math:`f_q` is the :math:`\tau_q`-quantile of :math:`y`: being too low costs
    :math:`\tau` a unit, too high :math:`1-\tau`. At :math:`\tau=\frac12` it is half the absolute error.

    Args:
        quantiles: :math:`\tau_q`, between 0 and 1.

    Returns:
        A loss of forecasts :math:`f`, shape ``(..., Q)``, and values :math:`y`, shape ``(...)``.

    Example:
        >>> loss = quantile_loss((0.9,))
        >>> loss(torch.tensor([[0.0]]), torch.tensor([1.0])), loss(torch.tensor([[1.0]]), torch.tensor([0.0]))
        (tensor(0.9000), tensor(0.1000))

    Reference:
        Koenker and Bassett, Regression Quantiles, 1978.
    """
    fits = quantiles and all(0.0 < level < 1.0 for level in quantiles)
    rule = "quantile_loss: quantiles must be between 0 and 1"
    require(fits, rule, tuple(quantiles), "Try (0.05, 0.5, 0.95).")

    def loss(output: Tensor, target: Tensor) -> Tensor:
        levels = torch.as_tensor(quantiles, dtype=output.dtype, device=output.device)
        error = target[..., None] - output  # (..., Q)
        return torch.maximum(levels * error, (levels - 1) * error).mean()

    return loss
