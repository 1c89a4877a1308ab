"""The layer of a graph attention network whose order of neighbours depends on who asks."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from gradatim.array_arguments import takes_arrays
from gradatim.nn.attended_edges import attended_edges
from gradatim.nn.dropout import drop
from gradatim.nn.gat_layer import SLOPE, finish_heads
from gradatim.nn.gcn_layer import Features, GraphLinear


class GATv2Layer(nn.Module):
    r"""Average the neighbours of a node, itself among them, by attention with a hidden layer.

    .. math::
        \alpha_{ji} = \operatorname{softmax}_j u^\top \rho\bigl(Qx_i + Vx_j + Ee_{ji}\bigr), \qquad
        y_i = \sum_{j\to i} \alpha_{ji} V x_j + b

    The ramp :math:`\rho` stands before :math:`u`: which neighbour weighs most may differ from node to node, as it cannot in
    :class:`GATLayer`.

    Args:
        input_dim: Width of the features.
        output_dim: Width of one head.
        num_heads: Number of heads.
        edge_dim: Width of the features :math:`e` of edges; none by default.
        is_concatenated: Whether heads stand side by side, ``num_heads * output_dim`` wide, or are averaged.
        dropout: Probability to drop an attention weight in training.

    Example:
        >>> layer = GATv2Layer(3, 4, num_heads=2, is_concatenated=False)
        >>> layer(torch.randn(5, 3), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([5, 4])

    Reference:
        Brody, Alon and Yahav, How Attentive are Graph Attention Networks?, 2022.
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
        self.query = GraphLinear(input_dim, num_heads * output_dim, bias=True)
        self.value = GraphLinear(input_dim, num_heads * output_dim, bias=True)
        self.score = nn.Parameter(torch.empty(num_heads, output_dim))  # u
        nn.init.xavier_uniform_(self.score)
        width = num_heads * output_dim
        self.edge = None if edge_dim is None else nn.Linear(edge_dim, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(width if is_concatenated else output_dim))

    @takes_arrays
    def forward(self, x: Features, edge_index: Tensor, edge_attr: Tensor | None = None) -> Tensor:
        """Give every node a new row.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``; self-loops are added.
            edge_attr: Features of the edges, shape ``(E, edge_dim)``.
        """
        edges = attended_edges("GATv2Layer", edge_index, x.shape[0], edge_attr, self.edge_dim)
        shape = (-1, self.num_heads, self.output_dim)
        q, v = self.query(x).view(shape), self.value(x).view(shape)  # (N, heads, output_dim)
        hidden = q.index_select(0, edges.target) + v.index_select(
            0, edges.source
        )  # (E, heads, output_dim)
        if self.edge is not None:
            assert edges.attr is not None
            hidden = hidden + self.edge(edges.attr).view(shape)
        scores = (functional.leaky_relu(hidden, SLOPE) * self.score).sum(-1)  # (E, heads)
        weights = edges.softmax(scores)
        kept = drop(weights, self.dropout, self.training)
        return finish_heads(edges.average(kept, v), self.is_concatenated, self.bias)
