"""A network of Chebyshev filters on a graph."""

from gradatim.models.graph_stack import GraphStack
from gradatim.nn.chebyshev_layer import ChebyshevLayer


class ChebNet(GraphStack):
    r"""Layers :math:`\phi\bigl(\sum_{k=0}^K T_k(\tilde L)HW_k + b\bigr)`.

    A layer hears of nodes up to ``order`` steps away. A GCN is its first-order case with one matrix for both terms.

    Args:
        input_dim: Width of the node features.
        hidden_dim: Width of hidden layers.
        output_dim: Width of the output, such as the number of classes.
        num_layers: Layers: how many steps away a node hears of another.
        dropout: Probability to drop a feature before each layer.
        residual: Whether a layer's input is added to its output, wherever the widths agree.
        jumping: ``"last"``, or ``"concatenate"`` or ``"max"`` to read the output from all layers.
        order: Order :math:`K` of the filters.

    Example:
        >>> import torch
        >>> ChebNet(5, 8, 3)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Defferrard, Bresson and Vandergheynst, Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering, 2016.
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
        order: int = 2,
    ) -> None:
        super().__init__(
            lambda a, b, is_last: ChebyshevLayer(a, b, order), input_dim, hidden_dim, output_dim,
            num_layers=num_layers, dropout=dropout, residual=residual, jumping=jumping,
        )  # fmt: skip
        self.order = order
