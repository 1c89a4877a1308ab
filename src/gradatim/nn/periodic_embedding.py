r"""Numbers as sines and cosines of learned frequencies."""

import math

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole


class PeriodicEmbedding(nn.Module):
    r"""Embed every number of a row by waves of its own.

    .. math:: e_j = \mathrm{ReLU}\bigl(W_j\,[\sin(2\pi c_j x_j),\ \cos(2\pi c_j x_j)] + b_j\bigr), \qquad c_j \sim N(0, \sigma^2 I)

    Args:
        input_dim: Numbers :math:`x_j` of a row.
        dim: Width of an embedding :math:`e_j`.
        num_frequencies: Frequencies :math:`c_j` of each number, learned.
        scale: :math:`\sigma`, how fast the first waves are; the setting that matters most.

    Example:
        >>> PeriodicEmbedding(3, 8)(torch.zeros(5, 3)).shape
        torch.Size([5, 24])

    Reference:
        Gorishniy et al., On Embeddings for Numerical Features in Tabular Deep Learning, 2022, section 3.3.
    """

    def __init__(
        self, input_dim: int, dim: int = 16, *, num_frequencies: int = 16, scale: float = 0.1
    ) -> None:
        super().__init__()
        require_whole("PeriodicEmbedding", input_dim=input_dim, dim=dim, num_frequencies=num_frequencies)  # fmt: skip
        require(scale > 0, "PeriodicEmbedding: scale must be positive", scale)
        self.input_dim, self.dim, self.num_frequencies, self.scale = input_dim, dim, num_frequencies, scale  # fmt: skip
        self.frequencies = nn.Parameter(scale * torch.randn(input_dim, num_frequencies))
        bound = (2 * num_frequencies) ** -0.5
        self.weight = nn.Parameter(torch.empty(input_dim, 2 * num_frequencies, dim).uniform_(-bound, bound))  # fmt: skip
        self.bias = nn.Parameter(torch.empty(input_dim, dim).uniform_(-bound, bound))

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        rule = f"PeriodicEmbedding: x must have shape (N, {self.input_dim})"
        require(x.ndim == 2 and x.shape[1] == self.input_dim, rule, tuple(x.shape))
        angles = 2 * math.pi * self.frequencies * x.unsqueeze(-1)  # (N, D, F)
        waves = torch.cat([angles.sin(), angles.cos()], dim=-1)  # (N, D, 2F)
        embedded = torch.einsum("ndf,dfe->nde", waves, self.weight) + self.bias
        return torch.relu(embedded).flatten(1)  # (N, D dim)
