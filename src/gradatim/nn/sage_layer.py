"""The layer of GraphSAGE: a node beside what its neighbours say."""

from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.data.edges import check_edges
from gradatim.errors import choose
from gradatim.nn.coupling import sum_neighbours
from gradatim.nn.gcn_layer import Features, GraphLinear, dense_features
from gradatim.nn.messages import AGGREGATES, gather_messages


class SAGELayer(nn.Module):
    r"""Keep a node's own features apart from those of its neighbours.

    .. math:: y_i = W x_i + U \bigoplus_{j\to i} x_j + b

    What a node is and what it is surrounded by are weighed apart, so that neighbours which differ from it do no harm.

    Args:
        input_dim: Width of the features.
        output_dim: Width of the result.
        aggregate: ``"mean"``, ``"sum"`` or ``"max"``.

    Example:
        >>> import torch
        >>> SAGELayer(3, 2)(torch.randn(4, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 2])

    Reference:
        Hamilton, Ying and Leskovec, Inductive Representation Learning on Large Graphs, 2017.
    """

    def __init__(self, input_dim: int, output_dim: int, *, aggregate: str = "mean") -> None:
        super().__init__()
        choose("SAGELayer", "aggregate", aggregate, AGGREGATES)
        self.input_dim, self.output_dim, self.aggregate = input_dim, output_dim, aggregate
        self.own = GraphLinear(input_dim, output_dim, bias=True)
        self.neighbours = GraphLinear(input_dim, output_dim)

    @takes_arrays
    def forward(self, x: Features, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Give every node a new row.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``.
            edge_weight: Weights of the edges, shape ``(E,)``, for sums and means; 1 by default.
        """
        if self.aggregate == "max":
            check_edges("SAGELayer", edge_index, x.shape[0])
            source, target = edge_index.long()
            dense = dense_features(x)
            gathered = gather_messages(dense[source], target, x.shape[0], "max")
            return self.own(x) + self.neighbours(gathered)
        sent = self.neighbours(x)  # (N, output_dim): first narrow, then sum
        gathered = sum_neighbours(sent, edge_index, edge_weight, is_mean=self.aggregate == "mean")
        return self.own(x) + gathered
