"""The layer of a graph attention network."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.nn.attended_edges import AttendedEdges, attended_edges
from gradatim.nn.dropout import drop
from gradatim.nn.gcn_layer import Features, GraphLinear

SLOPE = 0.2


class GATLayer(nn.Module):
    r"""Average the neighbours of a node, itself among them, by attention; several heads side by side.

    .. math::
        \alpha_{ji} = \operatorname{softmax}_j \rho\bigl(u^\top [Vx_i, Vx_j, Ee_{ji}]\bigr), \qquad
        y_i = \sum_{j\to i} \alpha_{ji} V x_j + b

    with the leaky ramp :math:`\rho` of slope 0.2. The order of a node's neighbours by attention is the same for every node that
    asks; :class:`GATv2Layer` lets it differ.

    Args:
        input_dim: Width of the features.
        output_dim: Width of one head.
        num_heads: Number of heads.
        edge_dim: Width of the features :math:`e` of edges; none by default.
        is_concatenated: Whether heads stand side by side, ``num_heads * output_dim`` wide, or are averaged.
        dropout: Probability to drop an attention weight in training.

    Example:
        >>> layer = GATLayer(3, 4, num_heads=2)
        >>> layer(torch.randn(5, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([5, 8])

    Reference:
        Veličković et al., Graph Attention Networks, 2018.
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        *,
        num_heads: int = 1,
        edge_dim: int | None = None,
        is_concatenated: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.input_dim, self.output_dim, self.num_heads = input_dim, output_dim, num_heads
        self.edge_dim, self.is_concatenated, self.dropout = edge_dim, is_concatenated, dropout
        self.linear = GraphLinear(input_dim, num_heads * output_dim)
        self.to_target = nn.Parameter(torch.empty(num_heads, output_dim))  # parts of u
        self.to_source = nn.Parameter(torch.empty(num_heads, output_dim))
        nn.init.xavier_uniform_(self.to_target)
        nn.init.xavier_uniform_(self.to_source)
        self.edge = None if edge_dim is None else nn.Linear(edge_dim, num_heads, bias=False)
        self.bias = nn.Parameter(
            torch.zeros(num_heads * output_dim if is_concatenated else output_dim)
        )

    @takes_arrays
    def forward(self, x: Features, edge_index: Tensor, edge_attr: Tensor | None = None) -> Tensor:
        """Give every node a new row.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``; self-loops are added.
            edge_attr: Features of the edges, shape ``(E, edge_dim)``; those of an added self-loop are the mean of what leads to it.
        """
        edges = attended_edges("GATLayer", edge_index, x.shape[0], edge_attr, self.edge_dim)
        v = self.linear(x).view(-1, self.num_heads, self.output_dim)  # (N, heads, output_dim)
        weights = self.attention(v, edges)
        kept = drop(weights, self.dropout, self.training)
        return finish_heads(edges.average(kept, v), self.is_concatenated, self.bias)

    def attention(self, v: Tensor, edges: AttendedEdges) -> Tensor:
        """Weights ``(E, heads)`` of the edges, which sum to 1 at every node."""
        asked, answered = (v * self.to_target).sum(-1), (v * self.to_source).sum(-1)  # (N, heads)
        scores = asked.index_select(0, edges.target) + answered.index_select(0, edges.source)
        if self.edge is not None:
            assert edges.attr is not None
            scores = scores + self.edge(edges.attr)
        return edges.softmax(functional.leaky_relu(scores, SLOPE))


def finish_heads(heads: Tensor, is_concatenated: bool, bias: Tensor) -> Tensor:
    """Heads ``(N, heads, output_dim)`` side by side or averaged, with a bias."""
    return (heads.flatten(1) if is_concatenated else heads.mean(1)) + bias


def check_heads(owner: str, output_dim: int, num_heads: int) -> int:
    """The width of a head, where heads stand side by side."""
    if output_dim % num_heads:
        raise InvalidValue(f"{owner}: hidden_dim must be divisible by num_heads, got {output_dim} and {num_heads}.")  # fmt: skip
    return output_dim // num_heads
