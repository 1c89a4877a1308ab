"""What the gates of an LSTM do over time."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue
from gradatim.nn.cells.lstm import LSTMCell
from gradatim.nn.recurrent import Recurrent


class GateHistory(NamedTuple):
    r"""Gates and states at every time, each ``(B, T, H)``.

    Args:
        input: :math:`i_t`, how much of the candidate is written.
        forget: :math:`f_t`, how much of the cell is kept.
        candidate: :math:`\tilde c_t`, what may be written.
        output: :math:`o_t`, how much of the cell is shown.
        cell: :math:`c_t`.
        hidden: :math:`h_t`.
    """

    input: Tensor
    forget: Tensor
    candidate: Tensor
    output: Tensor
    cell: Tensor
    hidden: Tensor


@takes_arrays
@torch.no_grad()
def record_gates(rnn: Recurrent, x: Tensor) -> GateHistory:
    """Run the first layer of an LSTM step by step and write down its gates.

    Args:
        rnn: Layers whose first cell is an :class:`LSTMCell`.
        x: Inputs, shape ``(B, T, input_dim)``.

    Returns:
        Gates and states over time.

    Example:
        >>> record_gates(Recurrent("lstm", 2, 3), torch.randn(1, 5, 2)).forget.shape
        torch.Size([1, 5, 3])
    """
    cell = rnn.cells[0]
    if not isinstance(cell, LSTMCell):
        raise InvalidType(
            f"record_gates: rnn must be made of LSTMCell, got {type(cell).__name__}. Try Recurrent('lstm', …)."
        )
    if x.ndim != 3 or 0 in x.shape or x.shape[-1] != rnn.input_dim:
        raise InvalidValue(
            f"record_gates: x must be of shape (batch, time, {rnn.input_dim}), at least one step, got {tuple(x.shape)}."
        )
    h, c = (part[0] for part in rnn.initial_state(len(x)))
    rows = []
    for projected in cell.project(x).unbind(1):
        gates = cell.gates(h, projected)
        (h, c), _ = cell.step((h, c), projected)
        rows.append(torch.stack([*gates, c, h]))
    return GateHistory(*torch.stack(rows, 2))
