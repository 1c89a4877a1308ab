"""A graph convolution by Chebyshev polynomials of the Laplacian."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.nn.coupling import symmetric_laplacian
from gradatim.nn.gcn_layer import Features, GraphLinear
from gradatim.nn.spectral_filters import chebyshev_sum


class ChebyshevLayer(nn.Module):
    r"""Filter node features by learned polynomials of the symmetric Laplacian.

    .. math:: Y = \sum_{k=0}^K T_k(\tilde L) X W_k + b, \qquad \tilde L = L_\text{sym} - I

    whose frequencies lie between 0 and 2. A node hears of nodes at most :math:`K` steps away; order :math:`K` has
    :math:`K + 1` matrices.

    Args:
        input_dim: Width of the features.
        output_dim: Width of the result.
        order: :math:`K`, at least 0.

    Example:
        >>> ChebyshevLayer(3, 2, order=2)(torch.randn(4, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 2])

    Reference:
        Defferrard, Bresson and Vandergheynst, Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering, 2016.
    """

    def __init__(self, input_dim: int, output_dim: int, order: int) -> None:
        super().__init__()
        require_whole("ChebyshevLayer", input_dim=input_dim, output_dim=output_dim, order=order + 1)
        self.input_dim, self.output_dim, self.order = input_dim, output_dim, order
        self.linears = nn.ModuleList(GraphLinear(input_dim, output_dim) for _ in range(order + 1))
        self.bias = nn.Parameter(torch.zeros(output_dim))

    @takes_arrays
    def forward(self, x: Features, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Give every node a new row.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``, each edge both ways.
            edge_weight: Weights of the edges, shape ``(E,)``; 1 by default.
        """
        L = symmetric_laplacian(edge_index, x.shape[0], edge_weight, self.bias.dtype)
        found = chebyshev_sum(lambda k: self.linears[k](x), self.order, L.times, 1.0)
        return found + self.bias  # (N, output_dim): the maps commute with the polynomials
