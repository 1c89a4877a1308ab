"""Long short-term memory reduced to what a scan can compute."""

import torch
from torch import Tensor
from torch.nn import functional

from gradatim.nn.cells.cell import Cell, State
from gradatim.nn.cells.interpolation import unroll_interpolation
from gradatim.nn.mixing import interpolate


class MinLSTMCell(Cell):
    r"""The minimal long short-term memory: gates and candidate see the input only.

    .. math::
        f_t = \sigma(W_f x_t + b_f), \quad i_t = \sigma(W_i x_t + b_i), \quad
        \tilde h_t = W_h x_t + b_h, \quad
        h_t = \frac{f_t}{f_t + i_t} \odot h_{t-1} + \frac{i_t}{f_t + i_t} \odot \tilde h_t,
        \quad y_t = h_t

    The gates are scaled to a sum of one, so that the state keeps its size over time; computed is
    :math:`f/(f+i) = \sigma(\log f - \log i)`, which no pair of tiny gates can spoil.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.
        forget_bias: Initial :math:`b_f`; positive, so that training starts by remembering.

    Example:
        >>> cell = MinLSTMCell(1, 2, forget_bias=0.0)
        >>> _ = torch.nn.init.zeros_(cell.input.weight)
        >>> cell((torch.ones(1, 2),), torch.ones(1, 1))[1].tolist()  # f = i
        [[0.5, 0.5]]

    Reference:
        Feng et al., Were RNNs All We Needed?, 2024, section 3.2.
    """

    input_blocks = 3

    def __init__(self, input_dim: int, hidden_dim: int, *, forget_bias: float = 1.0) -> None:
        super().__init__(input_dim, hidden_dim)
        self.forget_bias = forget_bias
        self.input.bias.detach()[:hidden_dim] = forget_bias

    def _keep(self, forget: Tensor, write: Tensor) -> Tensor:
        return torch.sigmoid(functional.softplus(-write) - functional.softplus(-forget))

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        forget, write, new = projected.chunk(3, -1)
        h = interpolate(new, state[0], self._keep(forget, write))
        return (h,), h

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        forget, write, new = self.project(x.transpose(0, 1)).transpose(0, 1).chunk(3, -1)
        return unroll_interpolation(self._keep(forget, write), new, state, is_real)
