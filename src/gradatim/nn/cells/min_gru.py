"""The gated recurrent unit reduced to what a scan can compute."""

import torch
from torch import Tensor

from gradatim.nn.cells.cell import Cell, State
from gradatim.nn.cells.interpolation import unroll_interpolation
from gradatim.nn.mixing import interpolate


class MinGRUCell(Cell):
    r"""The minimal gated recurrent unit: gate and candidate see the input only.

    .. math::
        z_t = \sigma(W_z x_t + b_z), \qquad \tilde h_t = W_h x_t + b_h, \qquad
        h_t = (1 - z_t) \odot h_{t-1} + z_t \odot \tilde h_t, \qquad y_t = h_t

    The recurrence is linear in the state, so :func:`gradatim.nn.linear_scan` runs it over all times
    at once.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.
        gate_bias: Initial :math:`b_z`; at :math:`-\log n` a state starts with a memory of some
            :math:`n` steps.

    Example:
        >>> sum(p.numel() for p in MinGRUCell(100, 64).parameters())
        12928

    Reference:
        Feng et al., Were RNNs All We Needed?, 2024, section 3.1.
    """

    input_blocks = 2

    def __init__(self, input_dim: int, hidden_dim: int, *, gate_bias: float = 0.0) -> None:
        super().__init__(input_dim, hidden_dim)
        self.gate_bias = gate_bias
        self.input.bias.detach()[:hidden_dim] = gate_bias

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        gate, new = projected.chunk(2, -1)
        h = interpolate(state[0], new, gate.sigmoid())
        return (h,), h

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        gate, new = self.project(x.transpose(0, 1)).transpose(0, 1).chunk(2, -1)
        return unroll_interpolation(torch.sigmoid(-gate), new, state, is_real)
