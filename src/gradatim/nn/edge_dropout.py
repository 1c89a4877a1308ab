"""Leave out random edges in training."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
def drop_edge(edge_index: Tensor, dropout: float, *, generator: torch.Generator | None = None) -> Tensor:  # fmt: skip
    """Leave out every undirected edge with probability ``dropout``, both its directions alike.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``.
        dropout: Probability to leave an edge out, from 0 to below 1.
        generator: Draws the edges.

    Returns:
        The edges that stay, in their order.

    Example:
        >>> edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
        >>> drop_edge(edges, 0.5, generator=torch.Generator().manual_seed(3)).shape[1] % 2
        0

    Reference:
        Rong et al., DropEdge: Towards Deep Graph Convolutional Networks on Node Classification, 2020.
    """
    require(0.0 <= dropout < 1.0, "drop_edge: dropout must be from 0 to below 1", dropout)
    low, high = edge_index.amin(0), edge_index.amax(0)
    count = int(high.max()) + 1 if high.numel() else 0
    pairs, where = torch.unique(low * count + high, return_inverse=True)
    device = edge_index.device if generator is None else generator.device
    stays = (
        torch.rand(len(pairs), generator=generator, device=device).to(edge_index.device) >= dropout
    )
    return edge_index[:, stays[where]]
