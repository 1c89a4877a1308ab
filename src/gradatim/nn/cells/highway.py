"""The highway recurrent cell."""

import torch
from torch import Tensor

from gradatim.nn.activations import activation as build_activation
from gradatim.nn.cells.cell import Cell, State
from gradatim.nn.mixing import interpolate


class HighwayCell(Cell):
    r"""A simple recurrent cell with a learned gate between the old state and the new.

    .. math::
        \tilde h_t &= \phi(W x_t + U h_{t-1} + b), \qquad T_t = \sigma(W_T x_t + U_T h_{t-1} + b_T), \\
        h_t &= T_t \odot \tilde h_t + (1 - T_t) \odot h_{t-1}, \qquad y_t = h_t

    It is a gated recurrent unit without the reset gate.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.
        activation: Name of :math:`\phi`.
        gate_bias: Initial :math:`b_T`; the more negative, the longer a state is carried.

    Example:
        >>> cell = HighwayCell(1, 2, gate_bias=-100.0)
        >>> (h,), y = cell((torch.tensor([[3.0, -4.0]]),), torch.ones(1, 1))
        >>> h.tolist()
        [[3.0, -4.0]]

    Reference:
        Srivastava et al., Highway Networks, 2015, with the state carried along time, as in Zilly et
        al., Recurrent Highway Networks, 2017, at depth 1.
    """

    input_blocks, state_blocks = 2, 2

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        activation: str = "tanh",
        gate_bias: float = -2.0,
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        self.activation, self.gate_bias = activation, gate_bias
        self.phi = build_activation(activation)
        self.input.bias.detach()[hidden_dim:] = gate_bias

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        new, gate = torch.addmm(projected, state[0], self.recurrent.weight.T).chunk(2, -1)
        h = interpolate(state[0], self.phi(new), gate.sigmoid())  # (B, H)
        return (h,), h
