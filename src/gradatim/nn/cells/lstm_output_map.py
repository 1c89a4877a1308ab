"""Long short-term memory with a matrix between cell and output."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.nn.cells.cell import Cell, State


class OutputMapLSTMCell(Cell):
    r"""Long short-term memory whose output mixes the units of the cell.

    .. math::
        i_t &= \sigma(W_i x_t + U_i h_{t-1} + b_i), &
        f_t &= \sigma(W_f x_t + U_f h_{t-1} + b_f), \\
        \tilde c_t &= \tanh(W_c x_t + U_c h_{t-1} + b_c), &
        o_t &= \sigma(W_o x_t + U_o h_{t-1} + b_o), \\
        c_t &= f_t \odot c_{t-1} + i_t \odot \tilde c_t, &
        h_t &= o_t \odot \tanh(V c_t), \qquad y_t = h_t

    :math:`V` starts as the identity, where this is :class:`LSTMCell`. The state is :math:`(h, c)`.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t` and :math:`c_t`.
        forget_bias: Initial :math:`b_f`; positive, so that training starts by remembering.

    Example:
        >>> (h, c), y = OutputMapLSTMCell(1, 2)((torch.zeros(1, 2), torch.zeros(1, 2)), torch.ones(1, 1))
        >>> h.shape
        torch.Size([1, 2])
    """

    num_states = 2
    input_blocks, state_blocks = 4, 4

    def __init__(self, input_dim: int, hidden_dim: int, *, forget_bias: float = 1.0) -> None:
        super().__init__(input_dim, hidden_dim)
        self.forget_bias = forget_bias
        self.output_map = nn.Linear(hidden_dim, hidden_dim, bias=False)
        nn.init.eye_(self.output_map.weight)
        self.input.bias.detach()[hidden_dim : 2 * hidden_dim] = forget_bias

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        i, f, new, o = torch.addmm(projected, state[0], self.recurrent.weight.T).chunk(4, -1)
        c = f.sigmoid() * state[1] + i.sigmoid() * new.tanh()
        h = o.sigmoid() * functional.linear(c, self.output_map.weight).tanh()
        return (h, c), h
