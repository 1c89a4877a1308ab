"""The recurrent cell whose step is a network of several layers."""

from torch import Tensor, nn

from gradatim.errors import require_whole
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.cells.cell import Cell, State


class DeepTransitionCell(Cell):
    r"""A recurrent cell that is deep between two times, not only from input to output.

    .. math::
        u^{(1)} = \phi(W x_t + U h_{t-1} + b), \qquad u^{(k)} = \phi(U_k u^{(k-1)} + b_k), \qquad
        h_t = u^{(L)}, \qquad y_t = h_t

    A step can be any map that a network can be, at the price of a way through time that is :math:`L` times as long. With
    one layer it is :class:`ElmanCell`.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t` and of every layer.
        num_layers: :math:`L`, layers of a step.
        activation: Name of :math:`\phi`.

    Example:
        >>> cell = DeepTransitionCell(3, 4, num_layers=3)
        >>> [tuple(layer.weight.shape) for layer in cell.deeper]
        [(4, 4), (4, 4)]

    Reference:
        Pascanu et al., How to Construct Deep Recurrent Neural Networks, 2014, section 3.3.1.
    """

    input_blocks, state_blocks = 1, 1

    def __init__(
        self, input_dim: int, hidden_dim: int, *, num_layers: int = 2, activation: str = "tanh"
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        require_whole("DeepTransitionCell", num_layers=num_layers)
        self.num_layers, self.activation = num_layers, activation
        self.phi = build_activation(activation)
        self.deeper = nn.ModuleList(
            nn.Linear(hidden_dim, hidden_dim) for _ in range(num_layers - 1)
        )
        for layer in self.deeper:
            nn.init.orthogonal_(layer.get_parameter("weight"))
            nn.init.zeros_(layer.get_parameter("bias"))

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        h = self.phi(projected + self.recurrent(state[0]))
        for layer in self.deeper:
            h = self.phi(layer(h))  # (B, H)
        return (h,), h
