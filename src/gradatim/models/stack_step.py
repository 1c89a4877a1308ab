"""Move a stack of recurrent layers by a single step, as decoders do."""

from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.nn import Cell, Recurrent
from gradatim.nn.cells.cell import State


def step_stack(rnn: Recurrent, x: Tensor, state: State) -> tuple[Tensor, State]:
    """Equal ``rnn(x[:, None], None, state)``, at a fraction of the cost of starting a whole sequence.

    Args:
        rnn: Layers in one direction, without layer norm or residual connections.
        x: Input, shape ``(B, input_dim)``.
        state: Parts of shape ``(num_layers, B, hidden_dim)``.

    Returns:
        The last layer's output, shape ``(B, hidden_dim)``, and the state after the step.

    Example:
        >>> rnn = Recurrent("gru", 3, 4)
        >>> y, (h,) = step_stack(rnn, torch.randn(2, 3), rnn.initial_state(2))
        >>> y.shape, h.shape
        (torch.Size([2, 4]), torch.Size([1, 2, 4]))
    """
    moved = []
    for layer, cell in enumerate(rnn.cells):
        if layer:
            x = F.dropout(x, rnn.dropout, rnn.training)
        after, x = cast(Cell, cell)(tuple(part[layer] for part in state), x)
        moved.append(after)
    return x, tuple(torch.stack(parts) for parts in zip(*moved, strict=True))
