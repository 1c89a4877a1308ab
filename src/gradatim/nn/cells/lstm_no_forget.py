"""Long short-term memory as first published, without a forget gate."""

import torch
from torch import Tensor

from gradatim.nn.cells.cell import Cell, State


class NoForgetLSTMCell(Cell):
    r"""Long short-term memory without a forget gate: the constant error carousel.

    .. math::
        i_t &= \sigma(W_i x_t + U_i h_{t-1} + b_i), \qquad
        \tilde c_t = \tanh(W_c x_t + U_c h_{t-1} + b_c), \qquad
        o_t = \sigma(W_o x_t + U_o h_{t-1} + b_o), \\
        c_t &= c_{t-1} + i_t \odot \tilde c_t, \qquad h_t = o_t \odot \tanh(c_t), \qquad y_t = h_t

    What is once in the cell stays there: it can count, but not start anew. The state is :math:`(h, c)`.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t` and :math:`c_t`.

    Example:
        >>> cell = NoForgetLSTMCell(1, 2)
        >>> _ = torch.nn.init.constant_(cell.input.bias[:2].detach(), -100.0)  # i = 0
        >>> (h, c), y = cell((torch.zeros(1, 2), torch.tensor([[3.0, -4.0]])), torch.ones(1, 1))
        >>> c.tolist()
        [[3.0, -4.0]]

    Reference:
        Hochreiter and Schmidhuber, Long Short-Term Memory, 1997.
    """

    num_states = 2
    input_blocks, state_blocks = 3, 3

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        i, new, o = torch.addmm(projected, state[0], self.recurrent.weight.T).chunk(3, -1)
        c = torch.addcmul(state[1], i.sigmoid(), new.tanh())
        h = o.sigmoid() * c.tanh()
        return (h, c), h
