"""Answers for whole graphs."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.nn.node_pooling import pool_nodes


class GraphClassifier(nn.Module):
    r"""Read the nodes of a graph, pool them, and answer: the order of the nodes plays no part.

    .. math:: \hat y = W \bigoplus_i h_i + b, \qquad h = \operatorname{encoder}(X, A)

    Args:
        encoder: A network on graphs with outputs of width ``hidden_dim``, such as :class:`GIN`.
        hidden_dim: Width of what the encoder gives.
        output_dim: Number of classes, or of values.
        pooling: ``"sum"``, ``"mean"`` or ``"max"`` over the nodes of a graph.
        dropout: Probability to drop a pooled feature.

    Example:
        >>> import torch
        >>> from gradatim.models import GIN
        >>> model = GraphClassifier(GIN(5, 8, 8), 8, 2)
        >>> model(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]]), torch.tensor([0, 0, 1, 1])).shape
        torch.Size([2, 2])
    """

    def __init__(
        self, encoder: nn.Module, hidden_dim: int, output_dim: int, *, pooling: str = "sum", dropout: float = 0.0
    ) -> None:  # fmt: skip
        super().__init__()
        self.encoder, self.hidden_dim, self.output_dim = encoder, hidden_dim, output_dim
        self.pooling, self.dropout = pooling, dropout
        self.readout = nn.Linear(hidden_dim, output_dim)

    @takes_arrays
    def forward(
        self, x: Tensor, edge_index: Tensor, batch: Tensor | None = None, num_graphs: int | None = None
    ) -> Tensor:  # fmt: skip
        """Answer for every graph.

        Args:
            x: Features of all nodes, shape ``(N, input_dim)``.
            edge_index: Sources and targets among all nodes, shape ``(2, E)``.
            batch: Graph of each node, from 0; one graph by default.
            num_graphs: Number of graphs; by default as many as ``batch`` names.
        """
        h = nn.functional.relu(self.encoder(x, edge_index))
        pooled = pool_nodes(h, batch, pooling=self.pooling, num_graphs=num_graphs)
        return self.readout(nn.functional.dropout(pooled, self.dropout, self.training))
