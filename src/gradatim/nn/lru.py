"""A layer around the linear recurrent unit."""

from functools import partial
from math import pi

from torch import Tensor, nn
from torch.nn import functional

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.cells.cell import State
from gradatim.nn.cells.lru import LRUCell
from gradatim.nn.padding import real_steps
from gradatim.nn.recurrent import Recurrent


class LRU(nn.Module):
    r"""A linear recurrence over time, then a gated network at every time, around a shortcut.

    .. math::
        h_t = \lambda \odot h_{t-1} + \gamma \odot (B\,\mathrm{LN}(x_t)), \qquad
        u_t = \mathrm{gelu}(\mathrm{Re}(C h_t) + d), \qquad
        y_t = x_t + (W u_t + w) \odot \sigma(V u_t + v)

    The recurrence is linear and mixes times; the gated network is not and mixes features. Together
    they can approximate any causal map of sequences, and only the scan looks along time.

    Args:
        dim: Width of :math:`x_t` and :math:`y_t`.
        state_dim: Width of :math:`h_t` in real numbers, ``dim`` by default.
        dropout: Probability of zeroing an entry of what is added to the shortcut.
        r_min: Smallest initial :math:`|\lambda|`.
        r_max: Largest initial :math:`|\lambda|`.
        max_phase: Largest initial phase of :math:`\lambda`.

    Example:
        >>> import torch
        >>> outputs, (h,) = LRU(8)(torch.randn(2, 100, 8), lengths=[100, 40])
        >>> outputs.shape, h.shape
        (torch.Size([2, 100, 8]), torch.Size([1, 2, 4]))

    Reference:
        Orvieto et al., Resurrecting Recurrent Neural Networks for Long Sequences, 2023.
    """

    def __init__(
        self,
        dim: int,
        state_dim: int | None = None,
        *,
        dropout: float = 0.0,
        r_min: float = 0.0,
        r_max: float = 1.0,
        max_phase: float = 2 * pi,
    ) -> None:
        super().__init__()
        if not 0.0 <= dropout < 1.0:
            raise InvalidValue(f"LRU: dropout must be from 0 to below 1, got {dropout}.")
        self.dim, self.state_dim = dim, dim if state_dim is None else state_dim
        self.dropout, self.r_min, self.r_max, self.max_phase = dropout, r_min, r_max, max_phase
        self.norm = nn.LayerNorm(dim)
        cell = partial(LRUCell, r_min=r_min, r_max=r_max, max_phase=max_phase)
        self.recurrence = Recurrent(cell, dim, self.state_dim)
        self.gated = nn.Linear(self.state_dim, 2 * dim)

    @takes_arrays
    def forward(
        self, x: Tensor, lengths: object | None = None, state: State | None = None
    ) -> tuple[Tensor, State]:
        """Run over a padded batch; arguments and results as of :class:`Recurrent`, with widths ``dim``."""
        is_real = real_steps("LRU", x, lengths)
        if is_real is not None:
            x = x.masked_fill(~is_real[..., None], 0.0)
        u, state = self.recurrence(self.norm(x), lengths, state)
        update = functional.glu(self.gated(functional.gelu(u)), -1)  # (B, T, dim)
        y = x + functional.dropout(update, self.dropout, self.training)
        return y if is_real is None else y.masked_fill(~is_real[..., None], 0.0), state
