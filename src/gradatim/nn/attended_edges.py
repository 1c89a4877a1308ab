"""Edges with self-loops, sorted by what they lead to, over which nodes are averaged by attention."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.data.edges import check_edges
from gradatim.errors import InvalidValue
from gradatim.made_once import made_once
from gradatim.nn.messages import gather_messages
from gradatim.nn.sparse_matrix import SparseMatrix, sparse_matrix


class AttendedEdges(NamedTuple):
    """Edges that lead to the nodes, sorted by target.

    Args:
        source: Where each comes from, shape ``(E,)``.
        target: Where it leads to.
        attr: Its features, if any.
        matrix: A matrix with one entry for each edge.
    """

    source: Tensor
    target: Tensor
    attr: Tensor | None
    matrix: SparseMatrix

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return self.matrix.shape[0]

    def average(self, weights: Tensor, v: Tensor) -> Tensor:
        """Sum the values ``(N, heads, F)`` of neighbours by weights ``(E, heads)``."""
        heads = [self.matrix.with_values(w).times(v[:, k]) for k, w in enumerate(weights.unbind(1))]
        return torch.stack(heads, 1)


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
    places = torch.cat([target[kept] * num_nodes + source[kept], every * (num_nodes + 1)])
    if edge_attr is not None:
        own = gather_messages(edge_attr[kept], target[kept], num_nodes, "mean")
        edge_attr = torch.cat([edge_attr[kept], own])
    unique, where = torch.unique(places, return_inverse=True)
    if edge_attr is not None:
        edge_attr = gather_messages(edge_attr, where, len(unique), "mean")
    rows, columns = unique // max(num_nodes, 1), unique % max(num_nodes, 1)
    ones = torch.ones(len(unique), dtype=torch.get_default_dtype(), device=rows.device)
    matrix = sparse_matrix(rows, columns, ones, (num_nodes, num_nodes))
    return AttendedEdges(columns, rows, edge_attr, matrix)
