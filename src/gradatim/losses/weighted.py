r"""Losses of single rows, so that rows may weigh.

.. math:: E = \frac1B\sum_i w_i\,\ell(f_i, y_i), \qquad \text{where the loss itself is}\quad \frac1B\sum_i \ell(f_i, y_i)
"""

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor
from torch.func import vmap

from gradatim.errors import InvalidValue
from gradatim.losses.aligning import align
from gradatim.losses.named import Loss, bce, cross_entropy, mae, mse, sse

_ENTRIES: dict[Loss, Callable[..., Tensor]] = {
    mse: F.mse_loss,
    sse: F.mse_loss,
    mae: F.l1_loss,
    bce: F.binary_cross_entropy_with_logits,
}


def row_losses(loss: Loss, output: Tensor, target: Tensor) -> Tensor:
    """The loss of every row alone.

    Args:
        loss: A loss that averages over rows, or adds them up; one of somebody's own must be such that ``torch.func.vmap`` maps
            it.
        output: Of a model, shape ``(B, ...)``.
        target: Shape ``(B, ...)``.

    Returns:
        Shape ``(B,)``; a row whose label is -100 costs 0.

    Example:
        >>> import torch
        >>> row_losses(mse, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]))
        tensor([0., 4.])
    """
    if loss is cross_entropy and output.ndim == 2 and output.shape[1] > 1:
        return F.cross_entropy(output, target, reduction="none")
    if loss in _ENTRIES:
        entries = _ENTRIES[loss](output, align(output, target).to(output.dtype), reduction="none")
        by_row = entries.flatten(1) if entries.ndim > 1 else entries.unsqueeze(1)
        return by_row.sum(1) if loss is sse else by_row.mean(1)
    try:
        return vmap(lambda o, t: loss(o.unsqueeze(0), t.unsqueeze(0)).reshape(()))(output, target)
    except (RuntimeError, TypeError, AttributeError) as error:
        raise InvalidValue(
            "Trainer: the loss must be computed row by row where rows weigh, got one that cannot be "
            f"({str(error).splitlines()[0].rstrip('.')}). Try a loss by name."
        ) from error


def weighted_loss(loss: Loss, output: Tensor, target: Tensor, weight: Tensor) -> Tensor:
    r"""The loss of a batch whose rows weigh, :math:`\frac1B\sum_i w_i \ell_i`; a sum stays a sum.

    Whole weights are repeated rows: with weights of mean 1 it is the loss of the batch in which row :math:`i` stands
    :math:`w_i` times.

    Args:
        loss: As in :func:`row_losses`.
        output: Of a model, shape ``(B, ...)``.
        target: Shape ``(B, ...)``.
        weight: :math:`w`, shape ``(B,)``.

    Example:
        >>> import torch
        >>> weighted_loss(mse, torch.tensor([1.0, 2.0]), torch.tensor([1.0, 4.0]), torch.tensor([1.5, 0.5]))
        tensor(1.)
    """
    rows = row_losses(loss, output, target)
    total = rows @ weight.to(rows.dtype)
    return total if loss is sse else total / len(weight)
