"""What every recurrent cell is: a function from state and input to state and output."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays

State = tuple[Tensor, ...]


class Cell(nn.Module, ABC):
    r"""A recurrent unit, applied at every time step with the same parameters.

    .. math:: (s_t, y_t) = R(s_{t-1}, x_t)

    A cell is written in two halves: :meth:`project`, the part that sees the input only and is
    computed for all time steps in one multiplication, and :meth:`step`, the part that must wait for
    the state. :meth:`unroll` runs them over time; a cell that has a faster way overrides it.

    Most cells are gates and candidates, blocks of width ``hidden_dim``: a cell that names how many blocks
    the input and the state feed is given the maps ``input`` (Xavier uniform, bias 0) and ``recurrent``
    (orthogonal, no bias), each block drawn by itself.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Width of the output :math:`y_t`, and of every part of the state :math:`s_t` unless
            the cell sets another ``state_dim``.
    """

    num_states = 1  # parts of the state
    is_complex = False  # whether they are complex numbers
    input_blocks = 0  # gates and candidates that the input feeds
    state_blocks = 0  # gates and candidates that the state feeds
    input: nn.Linear
    recurrent: nn.Linear

    def __init__(self, input_dim: int, hidden_dim: int) -> None:
        super().__init__()
        self.input_dim, self.hidden_dim = input_dim, hidden_dim
        self.state_dim = hidden_dim
        if self.input_blocks:
            self.input = nn.Linear(input_dim, self.input_blocks * hidden_dim)
            for block in self.input.weight.detach().split(hidden_dim):
                nn.init.xavier_uniform_(block)
            nn.init.zeros_(self.input.bias)
        if self.state_blocks:
            self.recurrent = nn.Linear(hidden_dim, self.state_blocks * hidden_dim, bias=False)
            for block in self.recurrent.weight.detach().split(hidden_dim):
                nn.init.orthogonal_(block)

    def project(self, x: Tensor) -> Tensor:
        """Return what the inputs ``(..., input_dim)`` contribute, shape ``(..., blocks * hidden_dim)``."""
        return self.input(x)

    @abstractmethod
    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        """Return the next state and the output, from a state and a projected input."""

    @takes_arrays
    def forward(self, state: State, x: Tensor) -> tuple[State, Tensor]:
        """Move one step: state parts ``(B, hidden_dim)`` and input ``(B, input_dim)``."""
        return self.step(state, self.project(x))

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        """Run over time, one step after the other.

        Args:
            x: Inputs, shape ``(B, T, input_dim)``, with ``T`` of 1 or more.
            state: State before the first step, parts of shape ``(B, hidden_dim)``.
            is_real: False at padding, shape ``(B, T)``; the state stands still there.

        Returns:
            The outputs ``(B, T, hidden_dim)``, arbitrary at padding, and the last state.
        """
        outputs = []
        for t, projected in enumerate(self.project(x).unbind(1)):
            moved, output = self.step(state, projected)
            if is_real is not None:
                real = is_real[:, t, None]  # (B, 1)
                moved = tuple(
                    torch.where(real, new, old) for new, old in zip(moved, state, strict=True)
                )
            state = moved
            outputs.append(output)
        return torch.stack(outputs, 1), state  # (B, T, hidden_dim)


def last_real(outputs: Tensor, initial: Tensor, is_real: Tensor) -> Tensor:
    """Return the output ``(B, H)`` of the last step that is no padding, or ``initial`` where there is none."""
    count = is_real.sum(1)  # (B,)
    index = (count - 1).clamp(min=0)[:, None, None].expand(-1, 1, outputs.shape[-1])
    last = outputs.gather(1, index).squeeze(1)  # (B, H)
    return torch.where((count > 0)[:, None], last, initial)
