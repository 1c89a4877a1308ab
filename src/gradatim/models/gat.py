"""The graph attention network."""

from itertools import pairwise

from torch import nn

from gradatim.models.graph_stack import GraphStack, stack_widths
from gradatim.nn.gat_layer import GATLayer, check_heads


class GAT(GraphStack):
    r"""Layers of :class:`~gradatim.nn.GATLayer`: how much a neighbour counts is learned.

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
        >>> GAT(5, 8, 3, num_heads=4)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Veličković et al., Graph Attention Networks, 2018.
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
        widths = stack_widths("GAT", input_dim, hidden_dim, output_dim, num_layers, jumping)
        head = check_heads("GAT", hidden_dim, num_heads)
        layers: list[nn.Module] = [
            GATLayer(a, head, num_heads=num_heads, edge_dim=edge_dim, dropout=dropout)
            for a, _ in pairwise(widths)
        ]
        if jumping == "last":
            layers[-1] = GATLayer(
                widths[-2], output_dim, num_heads=last_heads, edge_dim=edge_dim, dropout=dropout, is_concatenated=False
            )  # fmt: skip
        super().__init__(
            layers, widths[1:], output_dim, dropout=dropout, residual=residual, jumping=jumping
        )
        self.input_dim, self.hidden_dim, self.num_layers = input_dim, hidden_dim, num_layers
        self.num_heads, self.last_heads, self.edge_dim = num_heads, last_heads, edge_dim
