"""The gated recurrent unit as PyTorch computes it."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.hidden_values import is_transformed
from gradatim.nn.cells.cell import Cell, State, last_real
from gradatim.nn.cells.gru_bptt import GRUThroughTime, step_gru


class GRUCell(Cell):
    r"""The gated recurrent unit in PyTorch's and cuDNN's convention: reset after the multiplication.

    .. math::
        r_t &= \sigma(W_r x_t + U_r h_{t-1} + b_r), \\
        z_t &= \sigma(W_z x_t + U_z h_{t-1} + b_z), \\
        \tilde h_t &= \tanh(W_h x_t + b_h + r_t \odot (U_h h_{t-1} + b_u)), \\
        h_t &= (1 - z_t) \odot \tilde h_t + z_t \odot h_{t-1}, \qquad y_t = h_t

    At :math:`z = 1` the state is kept. Equal to PyTorch's ``nn.GRU``: its kernel runs where no
    gradient is wanted, and in training a faster one of our own. Rows of the weights are in its order :math:`r, z, h`. :class:`ChoGRUCell` resets before the multiplication,
    :class:`ChungGRUCell` also turns :math:`z` round.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.

    Example:
        >>> cell = GRUCell(3, 4)
        >>> _ = torch.nn.init.constant_(cell.input.bias[4:8].detach(), 100.0)  # z = 1
        >>> (h,), y = cell((torch.full((1, 4), 0.5),), torch.ones(1, 3))
        >>> h.tolist()
        [[0.5, 0.5, 0.5, 0.5]]

    Reference:
        Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014, in the form of
        its first version and of cuDNN.
    """

    input_blocks, state_blocks = 3, 3

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__(input_dim, hidden_dim)
        self.candidate_bias = nn.Parameter(torch.zeros(hidden_dim))

    def _state_bias(self) -> Tensor:
        zeros = self.candidate_bias.new_zeros(2 * self.hidden_dim)
        return torch.cat([zeros, self.candidate_bias])  # (3H,)

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        h = step_gru(state[0], projected, self.recurrent.weight, self._state_bias())
        return (h,), h

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        if is_transformed():
            return super().unroll(x, state, is_real)
        (h,), U, bias = state, self.recurrent.weight, self._state_bias()
        W, b = self.input.weight, self.input.bias
        if torch.is_grad_enabled():
            steps = x.transpose(0, 1)
            p = functional.linear(steps, W, b)  # (T, B, 3H)
            rest = (value.to(p.dtype) for value in (h, U, bias))  # autocast narrows p alone
            outputs = GRUThroughTime.apply(p, *rest, steps, W, b).transpose(0, 1)
        else:
            outputs, _ = torch.gru(x, h[None], [W, U, b, bias], True, 1, 0.0, False, False, True)
        return outputs, (outputs[:, -1] if is_real is None else last_real(outputs, h, is_real),)
