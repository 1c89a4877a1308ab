"""The simple recurrent cell."""

import torch
from torch import Tensor
from torch.nn import functional

from gradatim.hidden_values import is_transformed
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.cells.cell import Cell, State, last_real
from gradatim.nn.cells.elman_bptt import ElmanThroughTime


class ElmanCell(Cell):
    r"""The simple recurrent cell.

    .. math:: h_t = \phi(W x_t + U h_{t-1} + b), \qquad y_t = h_t

    With tanh and ReLU it equals PyTorch's ``nn.RNN``: its kernel runs where no gradient is wanted,
    and in training a faster one of our own.

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

    input_blocks, state_blocks = 1, 1

    def __init__(self, input_dim: int, hidden_dim: int, *, activation: str = "tanh") -> None:
        super().__init__(input_dim, hidden_dim)
        self.activation = activation
        self.phi = build_activation(activation)

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        h = self.phi(torch.addmm(projected, state[0], self.recurrent.weight.T))  # (B, H)
        return (h,), h

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        # Past the end of its sequence a ReLU state may overflow: there it must stand still.
        is_fast = self.activation == "tanh" or (self.activation == "relu" and is_real is None)
        if is_transformed() or not is_fast:
            return super().unroll(x, state, is_real)
        (h,), U, is_relu = state, self.recurrent.weight, self.activation == "relu"
        W, b = self.input.weight, self.input.bias
        if torch.is_grad_enabled():
            steps = x.transpose(0, 1)
            p = functional.linear(steps, W, b)  # (T, B, H)
            h, U = h.to(p.dtype), U.to(p.dtype)  # autocast narrows p alone
            outputs = ElmanThroughTime.apply(p, h, U, is_relu, steps, W, b).transpose(0, 1)
        else:
            kernel = torch.rnn_relu if is_relu else torch.rnn_tanh
            parameters = [W, U, b, torch.zeros_like(b)]
            outputs, _ = kernel(x, h[None], parameters, True, 1, 0.0, False, False, True)
        return outputs, (outputs[:, -1] if is_real is None else last_real(outputs, h, is_real),)
