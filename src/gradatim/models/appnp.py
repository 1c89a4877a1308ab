"""A network that predicts first and spreads its predictions afterwards."""

from itertools import pairwise

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.nn.coupling import couple
from gradatim.nn.gcn_layer import GraphLinear, drop_features


class APPNP(nn.Module):
    r"""An MLP on every node, whose outputs walk over the graph and often return home.

    .. math:: H = \operatorname{MLP}(X), \qquad Z_0 = H, \qquad Z_{k+1} = (1 - \alpha)\bar A Z_k + \alpha H

    The steps have no weights, so they can be many, and the return :math:`\alpha` keeps nodes from all becoming alike. After
    infinitely many it is personalized PageRank, :math:`\alpha(I - (1 - \alpha)\bar A)^{-1}H`.

    Args:
        input_dim: Width of the node features.
        hidden_dim: Width of the hidden layers.
        output_dim: Width of the output, such as the number of classes.
        num_layers: Layers of the MLP.
        steps: Steps over the graph.
        alpha: :math:`\alpha`, the share that returns in each step.
        dropout: Probability to drop a feature before each layer.

    Example:
        >>> APPNP(5, 8, 3)(torch.randn(4, 5), torch.tensor([[0, 1], [1, 0]])).shape
        torch.Size([4, 3])

    Reference:
        Gasteiger, Bojchevski and Günnemann, Predict then Propagate: Graph Neural Networks meet Personalized PageRank, 2019.
    """

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        output_dim: int,
        *,
        num_layers: int = 2,
        steps: int = 10,
        alpha: float = 0.1,
        dropout: float = 0.5,
    ) -> None:
        super().__init__()
        require_whole("APPNP", input_dim=input_dim, hidden_dim=hidden_dim, output_dim=output_dim, num_layers=num_layers, steps=steps)  # fmt: skip
        require(0.0 <= alpha <= 1.0, "APPNP: alpha must be from 0 to 1", alpha)
        self.input_dim, self.hidden_dim, self.output_dim, self.num_layers = input_dim, hidden_dim, output_dim, num_layers  # fmt: skip
        self.steps, self.alpha, self.dropout = steps, alpha, dropout
        widths = [input_dim, *[hidden_dim] * (num_layers - 1), output_dim]
        self.layers = nn.ModuleList(GraphLinear(a, b, bias=True) for a, b in pairwise(widths))

    @takes_arrays
    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        """Give every node an output.

        Args:
            x: Features, shape ``(N, input_dim)``; may be in compressed sparse rows.
            edge_index: Sources and targets, shape ``(2, E)``.
            edge_weight: Weights of the edges, shape ``(E,)``; 1 by default.
        """
        h = self.layers[0](drop_features(x, self.dropout, self.training))
        for layer in self.layers[1:]:
            h = layer(nn.functional.dropout(torch.relu(h), self.dropout, self.training))
        z = h  # (N, output_dim)
        coupling = couple(edge_index, len(h), edge_weight, h.dtype)
        for _ in range(self.steps):
            z = (1 - self.alpha) * coupling.times(z) + self.alpha * h
        return z
