"""The simple recurrent cell."""

import torch
from torch import Tensor

from gradatim.nn.activations import activation as build_activation
from gradatim.nn.cells.cell import Cell, State, input_map, last_real, state_map


class ElmanCell(Cell):
    r"""The simple recurrent cell.

    .. math:: h_t = \phi(W x_t + U h_{t-1} + b), \qquad y_t = h_t

    With tanh and ReLU it equals PyTorch's ``nn.RNN``, whose kernel runs then.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.
        activation: Name of :math:`\phi`.

    Example:
        >>> cell = ElmanCell(100, 64)
        >>> cell.input.weight.numel(), cell.recurrent.weight.numel()
        (6400, 4096)

    Reference:
        Elman, Finding Structure in Time, 1990.
    """

    def __init__(self, input_dim: int, hidden_dim: int, *, activation: str = "tanh") -> None:
        super().__init__(input_dim, hidden_dim)
        self.activation = activation
        self.phi = build_activation(activation)
        self.input = input_map(input_dim, hidden_dim, 1)
        self.recurrent = state_map(hidden_dim, 1)

    def project(self, x: Tensor) -> Tensor:
        return self.input(x)

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        h = self.phi(torch.addmm(projected, state[0], self.recurrent.weight.T))  # (B, H)
        return (h,), h

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        # Past the end of its sequence a ReLU state may overflow: there it must stand still.
        if self.activation == "tanh" or (self.activation == "relu" and is_real is None):
            kernel = torch.rnn_tanh if self.activation == "tanh" else torch.rnn_relu
            W, U, b = self.input.weight, self.recurrent.weight, self.input.bias
            outputs, h = kernel(
                x, state[0][None], [W, U, b, torch.zeros_like(b)], True, 1, 0.0, self.training, False, True
            )  # fmt: skip
            return outputs, (h[0] if is_real is None else last_real(outputs, state[0], is_real),)
        return super().unroll(x, state, is_real)
