"""One row per graph, from one row per node."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.hidden_values import are_values_hidden
from gradatim.nn.messages import gather_messages


@takes_arrays
def pool_nodes(x: Tensor, batch: Tensor | None = None, *, pooling: str = "sum", num_graphs: int | None = None) -> Tensor:  # fmt: skip
    """Add up, average or take the largest of the nodes of every graph; the order of the nodes plays no part.

    Args:
        x: Features of all nodes, shape ``(N, F)``.
        batch: Graph of each node, from 0; one graph by default.
        pooling: ``"sum"``, ``"mean"`` or ``"max"``.
        num_graphs: Number of graphs; by default as many as ``batch`` names.

    Returns:
        Shape ``(num_graphs, F)``; zeros for a graph without nodes.

    Example:
        >>> pool_nodes(torch.tensor([[1.0], [2.0], [5.0]]), torch.tensor([0, 0, 1]), pooling="mean").flatten()
        tensor([1.5000, 5.0000])
    """
    if batch is None:
        batch = torch.zeros(x.shape[0], dtype=torch.long, device=x.device)
        num_graphs = 1
    if num_graphs is None:
        num_graphs = 0 if are_values_hidden() or not batch.numel() else int(batch.max()) + 1
    return gather_messages(x, batch, num_graphs, pooling)
