"""The residual recurrent cell."""

from torch import Tensor, nn
from torch.nn import functional

from gradatim.nn.activations import activation as build_activation
from gradatim.nn.cells.cell import Cell, State


class ResidualCell(Cell):
    r"""A simple recurrent cell that adds to its state instead of replacing it.

    .. math:: h_t = Q h_{t-1} + \phi(W x_t + U h_{t-1} + b), \qquad y_t = h_t

    :math:`Q` starts as the identity, so a gradient passes back through time undiminished. Nothing
    bounds the state then: it may grow with the length of the sequence.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.
        activation: Name of :math:`\phi`.

    Example:
        >>> cell = ResidualCell(1, 2)
        >>> import torch
        >>> _ = nn.init.zeros_(cell.input.weight), nn.init.zeros_(cell.recurrent.weight[:2].detach())
        >>> (h,), y = cell((torch.tensor([[3.0, -4.0]]),), torch.ones(1, 1))
        >>> h.tolist()
        [[3.0, -4.0]]

    Reference:
        He et al., Deep Residual Learning for Image Recognition, 2016, along time instead of depth.
    """

    input_blocks, state_blocks = 1, 2  # rows of U, then of Q

    def __init__(self, input_dim: int, hidden_dim: int, *, activation: str = "tanh") -> None:
        super().__init__(input_dim, hidden_dim)
        self.activation = activation
        self.phi = build_activation(activation)
        nn.init.eye_(self.recurrent.weight.detach()[hidden_dim:])

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        u, q = functional.linear(state[0], self.recurrent.weight).chunk(2, -1)
        h = q + self.phi(projected + u)  # (B, H)
        return (h,), h
