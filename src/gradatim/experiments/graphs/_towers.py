"""Deep graph networks, and what is done against all nodes becoming alike."""

import torch
from torch import Tensor, nn

from gradatim.nn import GCNLayer, PairNorm, drop_edge
from gradatim.nn.coupling import couple

PLAIN, RESIDUAL, PAIRED, THINNED, RETURNING = (
    "plain GCN",
    "residual",
    "PairNorm",
    "DropEdge",
    "APPNP",
)
REMEDIES = (PLAIN, RESIDUAL, PAIRED, THINNED, RETURNING)
DROPPED = 0.7  # share of edges that DropEdge leaves out
ALPHA = 0.1  # share that returns home in every step of APPNP


class Tower(nn.Module):
    r"""A linear map, many layers over the graph of one width, and a linear map.

    .. math:: X_{\ell+1} = \phi(\bar A X_\ell W_\ell)

    residual :math:`X_\ell + \phi(\bar A X_\ell W_\ell)`; with PairNorm :math:`\operatorname{norm}(\phi(\bar A X_\ell W_\ell))`;
    with DropEdge on a part of the edges in training; in APPNP
    :math:`(1 - \alpha)\bar A X_\ell + \alpha X_0`, without weights.

    Args:
        input_dim: Width of the features.
        hidden_dim: Width of all layers.
        output_dim: Width of the output.
        num_layers: Layers over the graph.
        remedy: One of ``REMEDIES``.
    """

    def __init__(self, input_dim: int, hidden_dim: int, output_dim: int, *, num_layers: int, remedy: str) -> None:  # fmt: skip
        super().__init__()
        self.num_layers, self.remedy = num_layers, remedy
        self.first = nn.Linear(input_dim, hidden_dim)
        count = 0 if remedy == RETURNING else num_layers
        self.layers = nn.ModuleList(GCNLayer(hidden_dim, hidden_dim, bias=False) for _ in range(count))  # fmt: skip
        self.norm = PairNorm() if remedy == PAIRED else nn.Identity()
        self.last = nn.Linear(hidden_dim, output_dim)

    def states(self, x: Tensor, edge_index: Tensor) -> list[Tensor]:
        """Features before and after every layer, each ``(N, hidden_dim)``."""
        h = start = torch.relu(self.first(x))
        if self.remedy == THINNED and self.training:
            edge_index = drop_edge(edge_index, DROPPED)
        seen = [h]
        for k in range(self.num_layers):
            if self.remedy == RETURNING:
                mixed = couple(edge_index, len(h)).times(h)
                h = (1 - ALPHA) * mixed + ALPHA * start
            else:
                new = self.norm(torch.relu(self.layers[k](h, edge_index)))
                h = h + new if self.remedy == RESIDUAL else new
            seen.append(h)
        return seen

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Logits of every node."""
        return self.last(self.states(x, edge_index)[-1])
