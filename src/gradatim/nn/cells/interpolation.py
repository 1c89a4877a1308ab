"""Run a cell whose state is a running average, with weights that the input alone decides."""

from torch import Tensor

from gradatim.nn.cells.cell import State
from gradatim.nn.scan import linear_scan


def unroll_interpolation(
    keep: Tensor, new: Tensor, state: State, is_real: Tensor | None = None
) -> tuple[Tensor, State]:
    r"""Run :math:`h_t = k_t \odot h_{t-1} + (1 - k_t) \odot v_t` over time, all steps at once.

    Args:
        keep: :math:`k_t` in [0, 1], shape ``(B, T, H)``.
        new: :math:`v_t`, shape ``(B, T, H)``.
        state: :math:`(h_0,)`, shape ``(B, H)``.
        is_real: False at padding, shape ``(B, T)``; the state stands still there.

    Returns:
        All states ``(B, T, H)`` and the last one.

    Example:
        >>> import torch
        >>> half = torch.full((1, 3, 1), 0.5)
        >>> unroll_interpolation(half, torch.ones(1, 3, 1), (torch.zeros(1, 1),))[0].flatten()
        tensor([0.5000, 0.7500, 0.8750])
    """
    if is_real is not None:
        keep = keep.masked_fill(~is_real[..., None], 1.0)
    outputs = linear_scan(keep, (1 - keep) * new, state[0])
    return outputs, (outputs[:, -1],)
