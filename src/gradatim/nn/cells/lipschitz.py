"""The recurrent cell of which it is known how far apart a step can move two states."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.errors import InvalidValue
from gradatim.nn.cells.cell import Cell, State


class LipschitzCell(Cell):
    r"""A step of Euler's method along a damped rotation with a bounded disturbance.

    .. math::
        h_t = h_{t-1} + \varepsilon\bigl(A h_{t-1} + \tanh(W x_t + U h_{t-1} + b)\bigr), \qquad y_t = h_t, \qquad
        A = (1-\beta)(M + M^\top) + \beta(M - M^\top) - \gamma I

    The linear part is turned by its antisymmetric share :math:`\beta` and damped by :math:`\gamma`; the disturbance cannot
    exceed 1. Two states move apart by at most the factor

    .. math:: \|h_t - h'_t\| \le \bigl(\|I + \varepsilon A\|_2 + \varepsilon\|U\|_2\bigr)\,\|h_{t-1} - h'_{t-1}\|

    a step, and a gradient on its way back grows by no more: :meth:`lipschitz_bound` says how much that is.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of :math:`h_t`.
        step_size: :math:`\varepsilon`; a state changes over some :math:`1/\varepsilon` steps.
        antisymmetry: :math:`\beta` in [0, 1]; at 1 the linear part turns and nothing else.
        damping: :math:`\gamma`.

    Example:
        >>> cell = LipschitzCell(1, 4, step_size=0.1, antisymmetry=1.0)
        >>> _ = nn.init.zeros_(cell.recurrent.weight), nn.init.zeros_(cell.linear_part)
        >>> round(cell.lipschitz_bound(), 6)  # 1 - 0.1 · 0.001
        0.9999

    Reference:
        Erichson et al., Lipschitz Recurrent Neural Networks, 2021, eq. 5. One :math:`\beta` and :math:`\gamma` serve one
        matrix here; there the second matrix has the form of the first, with its own.
    """

    input_blocks, state_blocks = 1, 1

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        step_size: float = 0.1,
        antisymmetry: float = 0.75,
        damping: float = 0.001,
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        if not (step_size > 0 and damping >= 0 and 0 <= antisymmetry <= 1):
            raise InvalidValue(
                "LipschitzCell: step_size must be more than 0, damping at least 0 and antisymmetry from 0 to 1, "
                f"got {step_size}, {damping} and {antisymmetry}."
            )
        self.step_size, self.antisymmetry, self.damping = step_size, antisymmetry, damping
        self.linear_part = nn.Parameter(torch.randn(hidden_dim, hidden_dim) * 0.1 / hidden_dim**0.5)

    def coupling(self) -> Tensor:
        """Return :math:`A`."""
        M = self.linear_part
        mixed = M + (1 - 2 * self.antisymmetry) * M.T  # (1-β)(M + Mᵀ) + β(M - Mᵀ)
        return mixed - self.damping * M.new_ones(self.hidden_dim).diag()

    @torch.no_grad()
    def lipschitz_bound(self) -> float:
        """Return the largest factor by which a step can move two states apart, or a gradient grow."""
        A, U = self.coupling().double(), self.recurrent.weight.double()
        turn = torch.eye(self.hidden_dim, dtype=A.dtype, device=A.device) + self.step_size * A
        norms = torch.linalg.matrix_norm(torch.stack([turn, self.step_size * U]), 2)
        return float(norms.sum())

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        h = state[0]
        linear = functional.linear(h, self.coupling())
        h = h + self.step_size * (linear + torch.tanh(projected + self.recurrent(h)))  # (B, H)
        return (h,), h
