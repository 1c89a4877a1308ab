"""GraphSAGE: a network for graphs that grow."""

from gradatim.models.graph_stack import GraphStack
from gradatim.nn.sage_layer import SAGELayer


class GraphSAGE(GraphStack):
    r"""Layers :math:`\phi(W h_i + U \operatorname{mean}_{j\to i} h_j + b)`, which keep a node apart from its neighbours.

    Trained on samples of neighbours it reads graphs of any size, and nodes that it never saw.

    Args:
        input_dim: Width of the node features.
        hidden_dim: Width of hidden layers.
        output_dim: Width of the output, such as the number of classes.
        num_layers: Layers: how many steps away a node hears of another.
        dropout: Probability to drop a feature before each layer.
        residual: Whether a layer's input is added to its output, wherever the widths agree.
        jumping: ``"last"``, or ``"concatenate"`` or ``"max"`` to read the output from all layers.
        aggregate: ``"mean"``, ``"sum"`` or ``"max"`` of the neighbours.

    Example:
        >>> import torch
        >>> GraphSAGE(5, 8, 3)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Hamilton, Ying and Leskovec, Inductive Representation Learning on Large Graphs, 2017.
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
        aggregate: str = "mean",
    ) -> None:
        super().__init__(
            lambda a, b, is_last: SAGELayer(a, b, aggregate=aggregate), input_dim, hidden_dim, output_dim,
            num_layers=num_layers, dropout=dropout, residual=residual, jumping=jumping,
        )  # fmt: skip
        self.aggregate = aggregate
