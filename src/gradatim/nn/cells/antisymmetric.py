"""The recurrent cell whose memory neither grows nor fades, as a differential equation."""

from torch import Tensor
from torch.nn import functional

from gradatim.errors import InvalidValue
from gradatim.nn.activations import activation as build_activation
from gradatim.nn.cells.cell import Cell, State


class AntisymmetricCell(Cell):
    r"""A step of Euler's method along an equation with an antisymmetric matrix.

    .. math::
        h_t = h_{t-1} + \varepsilon\,\phi\bigl(W x_t + (A - A^\top - \gamma I)\,h_{t-1} + b\bigr),
        \qquad y_t = h_t

    The eigenvalues of :math:`A - A^\top` are imaginary: the equation turns a state and keeps its size, and a gradient on
    its way back likewise. Steps of finite length :math:`\varepsilon` let it grow a little, which the damping
    :math:`\gamma` takes back.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.
        step_size: :math:`\varepsilon`; a state changes over some :math:`1/\varepsilon` steps.
        damping: :math:`\gamma`.
        activation: Name of :math:`\phi`.

    Example:
        >>> import torch
        >>> cell = AntisymmetricCell(1, 4, damping=0.5)
        >>> matrix = cell.coupling()
        >>> torch.equal(matrix + matrix.T, -torch.eye(4))
        True

    Reference:
        Chang et al., AntisymmetricRNN: A Dynamical System View on Recurrent Neural Networks, 2019, eq. 10.
    """

    input_blocks, state_blocks = 1, 1

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        step_size: float = 0.1,
        damping: float = 0.01,
        activation: str = "tanh",
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        if not (step_size > 0 and damping >= 0):
            raise InvalidValue(
                "AntisymmetricCell: step_size must be more than 0 and damping at least 0, "
                f"got {step_size} and {damping}."
            )
        self.step_size, self.damping, self.activation = step_size, damping, activation
        self.phi = build_activation(activation)

    def coupling(self) -> Tensor:
        r"""Return :math:`A - A^\top - \gamma I`."""
        A = self.recurrent.weight
        return A - A.T - self.damping * A.new_ones(self.hidden_dim).diag()

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        turned = functional.linear(state[0], self.coupling())
        h = state[0] + self.step_size * self.phi(projected + turned)  # (B, H)
        return (h,), h
