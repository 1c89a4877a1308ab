"""A graph network without ramps: features averaged over neighbourhoods, then a linear model."""

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.nn.coupling import couple
from gradatim.nn.gcn_layer import GraphLinear, drop_features


class SGC(nn.Module):
    r"""Smooth the features, and answer linearly.

    .. math:: Y = \bar A^K X W + b

    Args:
        input_dim: Width of the node features.
        output_dim: Width of the output, such as the number of classes.
        num_layers: :math:`K`, how many steps away a node hears of another.
        dropout: Probability to drop a feature.

    Example:
        >>> SGC(5, 3)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Wu et al., Simplifying Graph Convolutional Networks, 2019.
    """

    def __init__(self, input_dim: int, output_dim: int, *, num_layers: int = 2, dropout: float = 0.0) -> None:  # fmt: skip
        super().__init__()
        require_whole("SGC", input_dim=input_dim, output_dim=output_dim, num_layers=num_layers)
        self.input_dim, self.output_dim, self.num_layers, self.dropout = input_dim, output_dim, num_layers, dropout  # fmt: skip
        self.linear = GraphLinear(input_dim, output_dim)
        self.bias = nn.Parameter(torch.zeros(output_dim))

    @takes_arrays
    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Give every node an output.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``.
            edge_weight: Weights of the edges, shape ``(E,)``; 1 by default.
        """
        y = self.linear(drop_features(x, self.dropout, self.training))  # (N, output_dim)
        coupling = couple(edge_index, len(y), edge_weight, y.dtype)
        for _ in range(
            self.num_layers
        ):  # the product is the same from either end, and this one is narrow
            y = coupling.times(y)
        return y + self.bias
