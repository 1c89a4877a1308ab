"""Long short-term memory."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.hidden_values import is_transformed
from gradatim.nn.cells.cell import Cell, State, last_real

# A sigmoid at ± this is exactly 1 or 0, its derivative exactly 0; half precision holds it.
SATURATED = 3e4


class LSTMGates(NamedTuple):
    """Gates and candidate of one step, each ``(B, H)``.

    Args:
        input: :math:`i_t`, how much of the candidate is written.
        forget: :math:`f_t`, how much of the cell is kept.
        candidate: :math:`\\tilde c_t`, what may be written.
        output: :math:`o_t`, how much of the cell is shown.
    """

    input: Tensor
    forget: Tensor
    candidate: Tensor
    output: Tensor


class LSTMCell(Cell):
    r"""Long short-term memory with a forget gate.

    .. math::
        i_t &= \sigma(W_i x_t + U_i h_{t-1} + b_i), &
        f_t &= \sigma(W_f x_t + U_f h_{t-1} + b_f), \\
        \tilde c_t &= \tanh(W_c x_t + U_c h_{t-1} + b_c), &
        o_t &= \sigma(W_o x_t + U_o h_{t-1} + b_o), \\
        c_t &= f_t \odot c_{t-1} + i_t \odot \tilde c_t, &
        h_t &= o_t \odot \tanh(c_t), \qquad y_t = h_t

    The state is :math:`(h, c)`. Equal to PyTorch's ``nn.LSTM``, whose kernel runs, but with one bias
    vector per gate instead of two. Rows of the weights are in PyTorch's order :math:`i, f, c, o`.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t` and :math:`c_t`.
        forget_bias: Initial :math:`b_f`; positive, so that training starts by remembering.

    Example:
        >>> cell = LSTMCell(3, 4)
        >>> zeros = torch.zeros(2, 4)
        >>> (h, c), y = cell((zeros, zeros), torch.ones(2, 3))
        >>> bool((h == y).all()), bool((h.abs() < 1).all())
        (True, True)

    Reference:
        Hochreiter and Schmidhuber, Long Short-Term Memory, 1997. Gers et al., Learning to Forget, 2000.
        Jozefowicz et al., An Empirical Exploration of Recurrent Network Architectures, 2015 (the bias).
    """

    num_states = 2
    input_blocks, state_blocks = 4, 4

    def __init__(self, input_dim: int, hidden_dim: int, *, forget_bias: float = 1.0) -> None:
        super().__init__(input_dim, hidden_dim)
        self.forget_bias = forget_bias
        self.input.bias.detach()[hidden_dim : 2 * hidden_dim] = forget_bias

    def gates(self, h: Tensor, projected: Tensor) -> LSTMGates:
        """Return gates and candidate from the last output ``h`` and a projected input."""
        z = torch.addmm(projected, h, self.recurrent.weight.T)  # (B, 4H)
        i, f, c, o = z.chunk(4, -1)
        return LSTMGates(i.sigmoid(), f.sigmoid(), c.tanh(), o.sigmoid())

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        i, f, candidate, o = self.gates(state[0], projected)
        c = f * state[1] + i * candidate
        h = o * c.tanh()
        return (h, c), h

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        if is_transformed():
            return super().unroll(x, state, is_real)
        W, U, b = self.input.weight, self.recurrent.weight, self.input.bias
        if is_real is not None:
            # one more input, 1 at padding, shuts the input and opens the forget gate
            x = torch.cat([x, (~is_real).to(x.dtype)[..., None]], -1)
            W = torch.cat([W, self._freeze(W)], 1)
        outputs, h, c = torch.lstm(
            x, [part[None] for part in state], [W, U, b, torch.zeros_like(b)], True, 1, 0.0, self.training, False, True
        )  # fmt: skip
        return outputs, (h[0] if is_real is None else last_real(outputs, state[0], is_real), c[0])

    def _freeze(self, W: Tensor) -> Tensor:
        column = W.new_zeros(4, self.hidden_dim)
        column[0], column[1] = -SATURATED, SATURATED
        return column.view(-1, 1)  # (4H, 1)
