"""The selective state-space cell."""

from math import log

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.errors import InvalidValue, require_whole
from gradatim.nn.cells.cell import Cell, State, last_real
from gradatim.nn.scan import linear_scan


class S6Cell(Cell):
    r"""A diagonal linear recurrence whose clock, writing and reading depend on the input.

    .. math::
        u_t &= W_u x_t + b_u, \qquad \Delta_t = \mathrm{softplus}(W_\Delta x_t + b_\Delta), \qquad
        B_t = W_B x_t + b_B, \qquad C_t = W_C x_t + b_C, \\
        h_t &= e^{\Delta_t A} \odot h_{t-1} + (\Delta_t \odot u_t)\,B_t^\top, \qquad
        y_t = h_t\,C_t + d \odot u_t

    Every unit has :math:`N` states, :math:`h_t` is :math:`H \times N`; :math:`\Delta_t` multiplies rows, and
    :math:`A = -e^{a} < 0` entry by entry, so that no state can explode. A long :math:`\Delta_t` forgets what was and writes
    what is seen; a short one lets the state stand still: this is what *selective* means. The recurrence is linear in the
    state, so :func:`gradatim.nn.linear_scan` runs it over all times at once.

    Args:
        input_dim: Width of :math:`x_t`.
        hidden_dim: Units :math:`H`, the width of :math:`y_t`.
        num_modes: States of a unit, :math:`N`, with :math:`A` from -1 to :math:`-N` at first.
        step_min: Smallest initial :math:`\Delta` at :math:`x = 0`.
        step_max: Largest; the slowest state lasts some :math:`1/\Delta` steps.

    Example:
        >>> cell = S6Cell(3, 8, num_modes=4)
        >>> (h,), y = cell((torch.zeros(2, 32),), torch.randn(2, 3))
        >>> h.shape, y.shape
        (torch.Size([2, 32]), torch.Size([2, 8]))

    Reference:
        Gu and Dao, Mamba: Linear-Time Sequence Modeling with Selective State Spaces, 2023, algorithm 2. There
        :math:`W_\Delta` has low rank and :math:`u_t` passes a short convolution and an activation.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        *,
        num_modes: int = 4,
        step_min: float = 0.001,
        step_max: float = 0.1,
    ) -> None:
        super().__init__(input_dim, hidden_dim)
        require_whole("S6Cell", num_modes=num_modes)
        if not 0 < step_min <= step_max:
            raise InvalidValue(
                f"S6Cell: step_min must be more than 0 and at most step_max, got {step_min} and {step_max}."
            )
        self.num_modes, self.step_min, self.step_max = num_modes, step_min, step_max
        self.state_dim = hidden_dim * num_modes
        self.input = nn.Linear(input_dim, 2 * (hidden_dim + num_modes))  # u, Δ, B, C
        nn.init.xavier_uniform_(self.input.weight)
        nn.init.zeros_(self.input.bias)
        steps = torch.exp(log(step_min) + torch.rand(hidden_dim) * log(step_max / step_min))
        self.input.bias.detach()[hidden_dim : 2 * hidden_dim] = torch.log(torch.expm1(steps))
        self.input.bias.detach()[2 * hidden_dim :] = 1.0  # B and C
        rates = torch.arange(1.0, num_modes + 1).log()
        self.log_rates = nn.Parameter(rates.expand(hidden_dim, num_modes).clone())  # a
        self.skip = nn.Parameter(torch.ones(hidden_dim))  # d

    def _discretize(self, projected: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the coefficients and inputs of the recurrence ``(..., H * N)``, the map that reads, and ``u``."""
        H, N = self.hidden_dim, self.num_modes
        u, step, write, read = projected.split([H, H, N, N], -1)
        step = functional.softplus(step)  # (..., H)
        keep = torch.exp(-step[..., None] * self.log_rates.exp())  # (..., H, N)
        new = (step * u)[..., None] * write[..., None, :]
        return keep.flatten(-2), new.flatten(-2), read, u

    def _read(self, h: Tensor, read: Tensor, u: Tensor) -> Tensor:
        states = h.unflatten(-1, (self.hidden_dim, self.num_modes))
        return (states * read[..., None, :]).sum(-1) + self.skip * u  # (..., H)

    def step(self, state: State, projected: Tensor) -> tuple[State, Tensor]:
        keep, new, read, u = self._discretize(projected)
        h = keep * state[0] + new  # (B, H * N)
        return (h,), self._read(h, read, u)

    def unroll(
        self, x: Tensor, state: State, is_real: Tensor | None = None
    ) -> tuple[Tensor, State]:
        projected = self.project(x.transpose(0, 1)).transpose(
            0, 1
        )  # along the memory, as the scan wants it
        keep, new, read, u = self._discretize(projected)
        h = linear_scan(keep, new, state[0])  # (B, T, H * N)
        last = h[:, -1] if is_real is None else last_real(h, state[0], is_real)
        return self._read(h, read, u), (last,)
