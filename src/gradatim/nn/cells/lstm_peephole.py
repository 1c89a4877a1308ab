"""Long short-term memory whose gates see the cell."""

import torch
from torch import Tensor, nn

from gradatim.nn.cells.cell import Cell, State


class PeepholeLSTMCell(Cell):
    r"""Long short-term memory with peephole connections from the cell to its gates.

    .. math::
        i_t &= \sigma(W_i x_t + U_i h_{t-1} + p_i \odot c_{t-1} + b_i), &
        f_t &= \sigma(W_f x_t + U_f h_{t-1} + p_f \odot c_{t-1} + b_f), \\
        \tilde c_t &= \tanh(W_c x_t + U_c h_{t-1} + b_c), &
        c_t &= f_t \odot c_{t-1} + i_t \odot \tilde c_t, \\
        o_t &= \sigma(W_o x_t + U_o h_{t-1} + p_o \odot c_t + b_o), &
        h_t &= o_t \odot \tanh(c_t), \qquad y_t = h_t

    The peepholes :math:`p` start at 0, where this is :class:`LSTMCell`. The state is :math:`(h, c)`.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t` and :math:`c_t`.
        forget_bias: Initial :math:`b_f`; positive, so that training starts by remembering.

    Example:
        >>> sum(p.numel() for p in PeepholeLSTMCell(100, 64).parameters()) - 42_240
        192

    Reference:
        Gers and Schmidhuber, Recurrent Nets that Time and Count, 2000.
    """

    num_states = 2
    input_blocks, state_blocks = 4, 4

    def __init__(self, input_dim: int, hidden_dim: int, *, forget_bias: float = 1.0) -> None:
        super().__init__(input_dim, hidden_dim)
        self.forget_bias = forget_bias
        self.peepholes = nn.Parameter(torch.zeros(3, hidden_dim))  # i, f, o
        self.input.bias.detach()[hidden_dim : 2 * hidden_dim] = forget_bias

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        (h, c), (p_i, p_f, p_o) = state, self.peepholes
        i, f, new, o = torch.addmm(projected, h, self.recurrent.weight.T).chunk(4, -1)
        i, f = torch.addcmul(i, p_i, c).sigmoid(), torch.addcmul(f, p_f, c).sigmoid()
        c = f * c + i * new.tanh()
        h = torch.addcmul(o, p_o, c).sigmoid() * c.tanh()
        return (h, c), h
