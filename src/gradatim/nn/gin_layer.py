"""The layer of a graph isomorphism network: as sharp as the Weisfeiler-Lehman test."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.coupling import sum_neighbours
from gradatim.nn.gcn_layer import Features, GraphLinear


class GINLayer(nn.Module):
    r"""Add up a node and its neighbours, and transform the sum by a small network.

    .. math:: y_i = W_2\,\phi\Bigl(W_1\bigl((1 + \epsilon)x_i + \sum_{j\to i} x_j\bigr) + b_1\Bigr) + b_2

    Sums tell multisets of neighbours apart where means and maxima do not: two neighbours alike are not one.

    Args:
        input_dim: Width of the features.
        output_dim: Width of the result.
        hidden_dim: Width of the network inside; ``output_dim`` by default.
        learns_eps: Whether :math:`\epsilon` is learned; it starts at 0.

    Example:
        >>> GINLayer(3, 2)(torch.randn(4, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 2])

    Reference:
        Xu et al., How Powerful are Graph Neural Networks?, 2019.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        *,
        hidden_dim: int | None = None,
        learns_eps: bool = False,
    ) -> None:
        super().__init__()
        self.input_dim, self.output_dim, self.learns_eps = input_dim, output_dim, learns_eps
        self.hidden_dim = output_dim if hidden_dim is None else hidden_dim
        self.first = GraphLinear(input_dim, self.hidden_dim)
        self.bias = nn.Parameter(torch.zeros(self.hidden_dim))
        self.second = nn.Linear(self.hidden_dim, output_dim)
        self.eps = nn.Parameter(torch.zeros(())) if learns_eps else None

    @takes_arrays
    def forward(self, x: Features, edge_index: Tensor) -> Tensor:
        """Give every node a new row.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``.
        """
        h = self.first(x)  # (N, hidden_dim): the sum commutes with the map
        own = h if self.eps is None else (1 + self.eps) * h
        return self.second(torch.relu(own + sum_neighbours(h, edge_index) + self.bias))
