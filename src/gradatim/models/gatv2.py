"""The graph attention network whose attention depends on who asks."""

from functools import partial

from gradatim.models.gat import attending_layer
from gradatim.models.graph_stack import GraphStack
from gradatim.nn.gat_layer import check_heads
from gradatim.nn.gatv2_layer import GATv2Layer


class GATv2(GraphStack):
    r"""Layers of :class:`~gradatim.nn.GATv2Layer`.

    The heads of hidden layers stand side by side, those of the last are averaged.

    Args:
        input_dim: Width of the node features.
        hidden_dim: Width of hidden layers, all heads together.
        output_dim: Width of the output, such as the number of classes.
        num_layers: Layers: how many steps away a node hears of another.
        num_heads: Heads of hidden layers, which must divide ``hidden_dim``.
        last_heads: Heads of the last layer.
        dropout: Probability to drop a feature before each layer, and an attention weight.
        residual: Whether a layer's input is added to its output, wherever the widths agree.
        jumping: ``"last"``, or ``"concatenate"`` or ``"max"`` to read the output from all layers.
        edge_dim: Width of edge features, which take the place of edge weights; none by default.

    Example:
        >>> import torch
        >>> GATv2(5, 8, 3, num_heads=4)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Brody, Alon and Yahav, How Attentive are Graph Attention Networks?, 2022.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        output_dim: int,
        *,
        num_layers: int = 2,
        num_heads: int = 8,
        last_heads: int = 1,
        dropout: float = 0.5,
        residual: bool = False,
        jumping: str = "last",
        edge_dim: int | None = None,
    ) -> None:
        head = check_heads("GATv2", hidden_dim, num_heads)
        super().__init__(
            partial(attending_layer, GATv2Layer, head, num_heads, last_heads, edge_dim, dropout), input_dim, hidden_dim, output_dim,
            num_layers=num_layers, dropout=dropout, residual=residual, jumping=jumping,
        )  # fmt: skip
        self.num_heads, self.last_heads, self.edge_dim = num_heads, last_heads, edge_dim
