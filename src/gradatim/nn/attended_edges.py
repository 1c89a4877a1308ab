"""Edges with self-loops, sorted by what they lead to, over which nodes are averaged by attention."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.data.edges import check_edges
from gradatim.errors import InvalidValue
from gradatim.hidden_values import is_transformed
from gradatim.made_once import made_once
from gradatim.nn.edge_attention import edge_softmax, weigh
from gradatim.nn.messages import gather_messages
from gradatim.nn.sparse_matrix import SparseMatrix
from gradatim.nn.sparse_pattern import SparsePattern, merge_places


class AttendedEdges(NamedTuple):
    """Edges that lead to the nodes, sorted by target.

    Args:
        source: Where each comes from, shape ``(E,)``.
        target: Where it leads to.
        attr: Its features, if any.
        pattern: A matrix with one entry for each edge.
    """

    source: Tensor
    target: Tensor
    attr: Tensor | None
    pattern: SparsePattern

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.pattern.num_columns

    def softmax(self, scores: Tensor) -> Tensor:
        """Make scores ``(E, heads)`` weights that sum to 1 at every node."""
        if is_transformed():
            return edge_softmax(scores, self.target, self.num_nodes)
        highest = torch.segment_reduce(scores.detach(), "max", offsets=self.pattern.starts, axis=0)
        return weigh(scores, self.target, highest)

    def average(self, weights: Tensor, v: Tensor) -> Tensor:
        """Sum the values ``(N, heads, F)`` of neighbours by weights ``(E, heads)``."""
        return SparseMatrix(self.pattern, weights).times(v)


def attended_edges(
    owner: str, edge_index: Tensor, num_nodes: int, edge_attr: Tensor | None, edge_dim: int | None
) -> AttendedEdges:
    """Add self-loops in the place of those listed, and sort.

    Args:
        owner: Who asks, for the message.
        edge_index: Sources and targets, shape ``(2, E)``; an edge that is listed twice counts once.
        num_nodes: Number of nodes.
        edge_attr: Features, shape ``(E, edge_dim)``.
        edge_dim: Their width, if there are any.
    """
    shape = None if edge_dim is None else (edge_index.shape[1], edge_dim)
    given = None if edge_attr is None else tuple(edge_attr.shape)
    if given != shape:
        raise InvalidValue(f"{owner}: edge_attr must have shape {shape}, got {given}.")

    def make() -> AttendedEdges:
        return _sort(owner, edge_index, num_nodes, edge_attr)

    return make() if edge_attr is not None else made_once(edge_index, ("attended", num_nodes), make)


def _sort(owner: str, edge_index: Tensor, num_nodes: int, edge_attr: Tensor | None) -> AttendedEdges:  # fmt: skip
    check_edges(owner, edge_index, num_nodes)
    source, target = edge_index.long()
    kept = torch.nonzero(source != target).flatten()
    every = torch.arange(num_nodes, device=source.device)
    rows, columns = torch.cat([target[kept], every]), torch.cat([source[kept], every])
    pattern, entry = merge_places(rows, columns, (num_nodes, num_nodes))
    if edge_attr is not None:
        own = gather_messages(edge_attr[kept], target[kept], num_nodes, "mean")
        whole = torch.cat([edge_attr[kept], own])
        edge_attr = gather_messages(whole, entry, len(pattern.columns), "mean")
    return AttendedEdges(pattern.columns.long(), pattern.rows.long(), edge_attr, pattern)
