"""Edges between nodes, as two rows of whole numbers."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, InvalidValue, require
from gradatim.hidden_values import are_values_hidden


def check_edges(owner: str, edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None) -> None:  # fmt: skip
    """Refuse edges that are none between these nodes.

    Args:
        owner: Who asks, for the message.
        edge_index: Sources and targets, shape ``(2, E)``.
        num_nodes: Number of nodes.
        edge_weight: One number per edge.
    """
    if edge_index.dtype not in (torch.int64, torch.int32):
        raise InvalidType(f"{owner}: edge_index must be whole numbers, got {edge_index.dtype}.")
    is_pairs = edge_index.ndim == 2 and edge_index.shape[0] == 2
    require(is_pairs, f"{owner}: edge_index must have shape (2, edges)", tuple(edge_index.shape), "Row 0 holds sources, row 1 targets.")  # fmt: skip
    if edge_weight is not None and edge_weight.shape != edge_index.shape[1:]:
        raise InvalidValue(
            f"{owner}: edge_weight must be one number for each of {edge_index.shape[1]} edges, got shape {tuple(edge_weight.shape)}."
        )
    if are_values_hidden() or not edge_index.numel():
        return
    low, high = (int(value) for value in torch.aminmax(edge_index))
    rule = f"{owner}: edge_index must name nodes from 0 to {num_nodes - 1}"
    require(low >= 0 and high < num_nodes, rule, f"{low} to {high}")


@takes_arrays
def make_undirected(edge_index: Tensor) -> Tensor:
    """List every edge both ways, and each of them once; a self-loop stays one.

    Args:
        edge_index: Sources and targets, shape ``(2, E)``.

    Returns:
        Shape ``(2, E')``, sorted by source, then target.

    Example:
        >>> make_undirected(torch.tensor([[2, 0, 1, 3], [0, 1, 0, 3]]))
        tensor([[0, 0, 1, 2, 3],
                [1, 2, 0, 0, 3]])
    """
    count = int(edge_index.max()) + 1 if edge_index.numel() else 0
    check_edges("make_undirected", edge_index, count)
    source, target = edge_index.long()
    forth, back = source * count + target, target * count + source
    places = torch.unique(torch.cat([forth, back]))
    return torch.stack([places // max(count, 1), places % max(count, 1)])
