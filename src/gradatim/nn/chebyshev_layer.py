"""A graph convolution by Chebyshev polynomials of the Laplacian."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.made_once import made_once
from gradatim.nn.coupling import laplacian_of
from gradatim.nn.gcn_layer import Features, GraphLinear, dense_features
from gradatim.nn.sparse_matrix import SparseMatrix
from gradatim.nn.spectral_filters import chebyshev_terms


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
            x: Features, shape ``(N, input_dim)``.
            edge_index: Sources and targets, shape ``(2, E)``, each edge both ways.
            edge_weight: Weights of the edges, shape ``(E,)``; 1 by default.
        """
        count = x.shape[0]

        def make() -> SparseMatrix:
            return laplacian_of(edge_index, count, "symmetric", edge_weight)

        L = make() if edge_weight is not None else made_once(edge_index, ("symmetric", count), make)
        dense = dense_features(x)
        terms = chebyshev_terms(dense, L.times, self.order + 1, 1.0)
        parts = [linear(term) for linear, term in zip(self.linears, terms, strict=True)]
        return torch.stack(parts).sum(0) + self.bias
