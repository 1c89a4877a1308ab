"""The layer of a graph convolutional network."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.coupling import couple
from gradatim.nn.dropout import drop
from gradatim.nn.sparse_matrix import SparseMatrix, read_csr

Features = Tensor | SparseMatrix


def sparse_features(owner: str, x: Features) -> SparseMatrix:
    """Sparse features as a matrix; another layout than compressed sparse rows is refused."""
    if isinstance(x, SparseMatrix):
        return x
    if x.layout != torch.sparse_csr:
        raise InvalidValue(
            f"{owner}: x must be dense or in compressed sparse rows, got {x.layout}. Try x.to_sparse_csr()."
        )
    return read_csr(x)


def dense_features(x: Features) -> Tensor:
    """Features as a dense tensor, for what no sparse product serves."""
    if isinstance(x, SparseMatrix):
        x = x.to_tensor()
    return x if x.layout == torch.strided else x.to_dense()


def drop_features(x: Features, dropout: float, is_training: bool) -> Features:
    """Dropout of features; of sparse ones only entries that are there are drawn, and they stay sparse."""
    if isinstance(x, Tensor) and x.layout == torch.strided:
        return drop(x, dropout, is_training)
    matrix = sparse_features("dropout", x)
    return matrix.with_values(drop(matrix.values, dropout, is_training))


class GraphLinear(nn.Module):
    r"""A linear map :math:`XW` of node features, dense or in compressed sparse rows; sparse ones stay sparse.

    Args:
        input_dim: Width of the features.
        output_dim: Width of the result.
        bias: Whether a bias is added.

    Example:
        >>> GraphLinear(3, 2)(torch.zeros(5, 3)).shape
        torch.Size([5, 2])
    """

    def __init__(self, input_dim: int, output_dim: int, *, bias: bool = False) -> None:
        super().__init__()
        self.input_dim, self.output_dim = input_dim, output_dim
        self.weight = nn.Parameter(torch.empty(output_dim, input_dim))
        nn.init.xavier_uniform_(self.weight)
        self.bias = nn.Parameter(torch.zeros(output_dim)) if bias else None

    def forward(self, x: Features) -> Tensor:
        if isinstance(x, Tensor) and x.layout == torch.strided:
            return nn.functional.linear(x, self.weight, self.bias)
        y = sparse_features("GraphLinear", x).times(self.weight.T)
        return y if self.bias is None else y + self.bias

    def extra_repr(self) -> str:
        return f"{self.input_dim}, {self.output_dim}, bias={self.bias is not None}"


class GCNLayer(nn.Module):
    r"""Mix every node with its neighbours by fixed weights, and transform all alike.

    .. math:: Y = \bar A X W + b, \qquad \bar A = D^{-1/2}(A + I)D^{-1/2}

    Args:
        input_dim: Width of the features.
        output_dim: Width of the result.
        bias: Whether :math:`b` is there.

    Example:
        >>> layer = GCNLayer(3, 2)
        >>> layer(torch.randn(4, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 2])

    Reference:
        Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
    """

    def __init__(self, input_dim: int, output_dim: int, *, bias: bool = True) -> None:
        super().__init__()
        self.input_dim, self.output_dim = input_dim, output_dim
        self.linear = GraphLinear(input_dim, output_dim)
        self.bias = nn.Parameter(torch.zeros(output_dim)) if bias else None

    @takes_arrays
    def forward(self, x: Features, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Give every node a new row.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``.
            edge_weight: Weights of the edges, shape ``(E,)``; 1 by default.
        """
        h = self.linear(x)  # (N, output_dim)
        y = couple(edge_index, len(h), edge_weight, h.dtype).times(h)
        return y if self.bias is None else y + self.bias
