"""Attention over the edges that lead to a node."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays


@takes_arrays
def edge_softmax(scores: Tensor, target: Tensor, num_nodes: int) -> Tensor:
    r"""Make scores of edges weights that sum to 1 at every node.

    .. math:: \alpha_{ji} = \frac{e^{s_{ji}}}{\sum_{k\to i} e^{s_{ki}}}

    Args:
        scores: :math:`s`, shape ``(E, ...)``.
        target: Node that each edge leads to, shape ``(E,)``.
        num_nodes: Number of nodes.

    Example:
        >>> edge_softmax(torch.tensor([0.0, 0.0, 5.0]), torch.tensor([0, 0, 1]), 2)
        tensor([0.5000, 0.5000, 1.0000])
    """
    rows = target.view(-1, *[1] * (scores.ndim - 1)).expand_as(scores)
    empty = scores.new_zeros(num_nodes, *scores.shape[1:])
    return weigh(scores, target, empty.scatter_reduce(0, rows, scores.detach(), "amax", include_self=False))  # fmt: skip


def weigh(scores: Tensor, target: Tensor, highest: Tensor) -> Tensor:
    """The weights of :func:`edge_softmax`, where the highest score at every node is known.

    Args:
        scores: Shape ``(E, ...)``.
        target: Node that each edge leads to, shape ``(E,)``.
        highest: Shape ``(N, ...)``; the weights do not depend on it, so neither do their gradients.
    """
    powers = torch.exp(scores - highest.index_select(0, target))
    total = torch.zeros_like(highest).index_add(0, target, powers)
    return powers / total.index_select(0, target)
