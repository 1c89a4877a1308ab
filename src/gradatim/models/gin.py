"""The graph isomorphism network."""

from gradatim.models.graph_stack import GraphStack
from gradatim.nn.gin_layer import GINLayer


class GIN(GraphStack):
    r"""Layers :math:`\operatorname{MLP}\bigl((1 + \epsilon)h_i + \sum_{j\to i} h_j\bigr)`.

    It tells apart every two graphs that the Weisfeiler-Lehman test tells apart, and no network that passes messages does more.

    Args:
        input_dim: Width of the node features.
        hidden_dim: Width of hidden layers.
        output_dim: Width of the output, such as the number of classes.
        num_layers: Layers: how many steps away a node hears of another.
        dropout: Probability to drop a feature before each layer.
        residual: Whether a layer's input is added to its output, wherever the widths agree.
        jumping: ``"last"``, or ``"concatenate"`` or ``"max"`` to read the output from all layers.

    Example:
        >>> import torch
        >>> GIN(5, 8, 3)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Xu et al., How Powerful are Graph Neural Networks?, 2019.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        output_dim: int,
        *,
        num_layers: int = 2,
        dropout: float = 0.5,
        residual: bool = False,
        jumping: str = "last",
    ) -> None:
        super().__init__(
            lambda a, b, is_last: GINLayer(a, b), input_dim, hidden_dim, output_dim,
            num_layers=num_layers, dropout=dropout, residual=residual, jumping=jumping,
        )  # fmt: skip
