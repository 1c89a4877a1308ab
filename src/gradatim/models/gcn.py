"""The graph convolutional network."""

from gradatim.models.graph_stack import GraphStack
from gradatim.nn.gcn_layer import GCNLayer


class GCN(GraphStack):
    r"""Layers :math:`\phi(\bar A H W + b)`: every node is mixed with its neighbours by fixed weights.

    .. math:: Y = \bar A\,\phi(\bar A X W_0 + b_0)\,W_1 + b_1, \qquad \bar A = D^{-1/2}(A + I)D^{-1/2}

    Depth smooths: after many layers all nodes of a component look alike.

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
        >>> GCN(5, 8, 3)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Kipf and Welling, Semi-Supervised Classification with Graph Convolutional Networks, 2017.
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
            lambda a, b, is_last: GCNLayer(a, b), input_dim, hidden_dim, output_dim,
            num_layers=num_layers, dropout=dropout, residual=residual, jumping=jumping,
        )  # fmt: skip
