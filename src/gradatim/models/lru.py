"""A stack of linear recurrent units."""

from math import pi

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn import LRU
from gradatim.nn.cells.cell import State


class LRUStack(nn.Module):
    r"""Linear recurrent units with gated networks between them: long sequences without a loop.

    .. math::
        y^{(0)}_t = E x_t + e, \qquad y^{(\ell)} = \mathrm{LRU}^{(\ell)}(y^{(\ell-1)}), \qquad
        f(x)_t = W\,\mathrm{LN}(y^{(L)}_t) + b

    Args:
        input_dim: Width of :math:`x_t`.
        dim: Width of every :math:`y^{(\ell)}_t`.
        output_dim: Width of the output at every time.
        num_layers: Units in the stack, :math:`L`.
        state_dim: Width of each unit's state in real numbers, ``dim`` by default.
        dropout: Probability of zeroing an entry of what a unit adds.
        r_min: Smallest initial modulus of an eigenvalue.
        r_max: Largest initial modulus; the nearer to 1, the longer the memory.
        max_phase: Largest initial phase of an eigenvalue; small for long memories.

    Example:
        >>> outputs, (h,) = LRUStack(3, 16, 5, num_layers=2)(torch.randn(4, 1000, 3))
        >>> outputs.shape, h.shape
        (torch.Size([4, 1000, 5]), torch.Size([2, 4, 8]))

    Reference:
        Orvieto et al., Resurrecting Recurrent Neural Networks for Long Sequences, 2023.
    """

    def __init__(
        self,
        input_dim: int,
        dim: int,
        output_dim: int,
        *,
        num_layers: int = 4,
        state_dim: int | None = None,
        dropout: float = 0.0,
        r_min: float = 0.0,
        r_max: float = 1.0,
        max_phase: float = 2 * pi,
    ) -> None:
        super().__init__()
        self.input_dim, self.dim, self.output_dim = input_dim, dim, output_dim
        self.num_layers, self.state_dim, self.dropout = num_layers, state_dim, dropout
        self.r_min, self.r_max, self.max_phase = r_min, r_max, max_phase
        self.embed = nn.Linear(input_dim, dim)
        self.layers = nn.ModuleList(
            LRU(dim, state_dim, dropout=dropout, r_min=r_min, r_max=r_max, max_phase=max_phase)
            for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(dim)
        self.readout = nn.Linear(dim, output_dim)

    @takes_arrays
    def forward(
        self, x: Tensor, lengths: object | None = None, state: State | None = None
    ) -> tuple[Tensor, State]:
        """Run over a padded batch.

        Args:
            x: Inputs, shape ``(B, T, input_dim)``.
            lengths: Real steps of each sequence, from 0 to ``T``; all ``T`` by default.
            state: State before the first step, as returned; zero by default.

        Returns:
            Outputs ``(B, T, output_dim)``, meaningless at padding, and the state after each sequence's
            last real step, complex, shape ``(num_layers, B, state_dim / 2)``.
        """
        y, finals = self.embed(x), []
        for k, layer in enumerate(self.layers):
            before = None if state is None else tuple(part[k : k + 1] for part in state)
            y, after = layer(y, lengths, before)
            finals.append(after)
        parts = tuple(torch.cat(part) for part in zip(*finals, strict=True))
        return self.readout(self.norm(y)), parts
