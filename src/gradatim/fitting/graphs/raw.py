"""Graphs as they were read: nodes and edges of all of them, one after the other."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import pandas as pd

from gradatim.errors import InvalidValue


@dataclass
class RawGraphs:
    """Graphs, node after node and edge after edge.

    Args:
        name: Short name of the data.
        x: Columns of the nodes, shape ``(nodes, D)``; what is missing is not a number.
        edges: Both ends of every edge among all nodes, shape ``(2, E)``, in the order of the graphs.
        e: Columns of the edges, shape ``(E, K)``.
        sizes: Nodes of each graph.
        target: A class or a value of each graph, missing where there is none; ``None`` where no graph has one.
        target_name: What it is called.
        num_labels: How many columns of ``x``, the first ones, are labels and not measures.
        num_edge_labels: The same of ``e``.
        notes: What was done, one sentence each.
    """

    name: str
    x: np.ndarray
    edges: np.ndarray
    e: np.ndarray
    sizes: np.ndarray
    target: pd.Series | None = None
    target_name: str = "y"
    num_labels: int = 0
    num_edge_labels: int = 0
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def owner(self) -> np.ndarray:
        """The graph of every node."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    def take(self, rows: np.ndarray) -> "RawGraphs":
        """Some of the graphs, in the order of ``rows``.

        Args:
            rows: Which ones.
        """
        counts = count_edges(self.edges, self.owner, len(self))
        nodes, ties = stretch_rows(self.sizes, rows), stretch_rows(counts, rows)
        edges = move_edges(self.edges[:, ties], self.sizes, rows, counts[rows])
        target = None if self.target is None else self.target.iloc[rows].reset_index(drop=True)
        return RawGraphs(
            self.name, self.x[nodes], edges, self.e[ties], self.sizes[rows], target, self.target_name,
            self.num_labels, self.num_edge_labels, self.notes,
        )  # fmt: skip


def count_edges(edges: np.ndarray, owner: np.ndarray, graphs: int) -> np.ndarray:
    """Edges of each graph.

    Args:
        edges: Both ends of every edge.
        owner: The graph of every node.
        graphs: How many graphs there are.
    """
    return np.bincount(owner[edges[0]], minlength=graphs)


def stretch_rows(sizes: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Places of everything that belongs to some graphs, where graph after graph is stored.

    Args:
        sizes: How much belongs to each graph.
        rows: The graphs.

    Example:
        >>> stretch_rows(np.array([2, 3, 1]), np.array([2, 0])).tolist()
        [5, 0, 1]
    """
    own = sizes[rows]
    starts = (np.cumsum(sizes) - sizes)[rows]
    return np.repeat(starts - (np.cumsum(own) - own), own) + np.arange(own.sum())


def move_edges(edges: np.ndarray, sizes: np.ndarray, rows: np.ndarray, counts: np.ndarray) -> np.ndarray:  # fmt: skip
    """Name the ends of edges anew, where only some graphs are left.

    Args:
        edges: Both ends of the edges of these graphs, among the nodes of all.
        sizes: Nodes of every graph.
        rows: The graphs that are left, in order.
        counts: Edges of each of these.
    """
    own = sizes[rows]
    shift = (np.cumsum(own) - own) - (np.cumsum(sizes) - sizes)[rows]
    return edges + np.repeat(shift, counts)


class Tidy(NamedTuple):
    """Edges, each once in both directions, and what was done to get there."""

    edges: np.ndarray
    e: np.ndarray
    loops: int
    repeats: int


def tidy_edges(edges: np.ndarray, e: np.ndarray, nodes: int) -> Tidy:
    """List every edge once in each direction; loops at a node are left out, of repeated edges the first stays.

    Args:
        edges: Both ends of every edge, in one direction or in both, shape ``(2, E)``.
        e: Columns of the edges, shape ``(E, K)``.
        nodes: How many nodes there are.

    Returns:
        Edges in the order of their first node, then of their second; how many nodes had a loop, and how many edges repeat
        another in the same direction.

    Example:
        >>> tidy_edges(np.array([[0, 1, 1, 0], [1, 2, 1, 1]]), np.zeros((4, 0)), 3)[:1]
        (array([[0, 1, 1, 2],
               [1, 0, 2, 1]]),)
    """
    is_loop = edges[0] == edges[1]
    loops = len(np.unique(edges[0, is_loop]))
    edges, e = edges[:, ~is_loop], e[~is_loop]
    given = edges[0] * nodes + edges[1]
    repeats = len(given) - len(np.unique(given))
    both = np.concatenate([given, edges[1] * nodes + edges[0]])
    keys, first = np.unique(both, return_index=True)
    ends = np.stack([keys // nodes, keys % nodes]) if nodes else np.zeros((2, 0), np.int64)
    return Tidy(ends.astype(np.int64), e[first % max(len(e), 1)] if len(e) else e[:0], loops, repeats)  # fmt: skip


def make_raw(
    name: str,
    x: np.ndarray,
    edges: np.ndarray,
    e: np.ndarray,
    sizes: np.ndarray,
    target: pd.Series | None,
    *,
    num_labels: int = 0,
    num_edge_labels: int = 0,
) -> RawGraphs:
    """Tidy what was read, and say what was done.

    Args:
        name: Short name of the data.
        x: Columns of the nodes.
        edges: Both ends of every edge, in any order.
        e: Columns of the edges.
        sizes: Nodes of each graph.
        target: A class or a value of each graph.
        num_labels: How many columns of nodes, the first ones, are labels.
        num_edge_labels: The same of edges.
    """
    tidy, notes = tidy_edges(edges, e, len(x)), list[str]()
    if tidy.loops:
        notes.append(f"{_many(tidy.loops, 'node has an edge', 'nodes have edges')} to itself: such loops are left out.")  # fmt: skip
    if tidy.repeats:
        notes.append(f"{_many(tidy.repeats, 'edge repeats', 'edges repeat')} another one and {'counts' if tidy.repeats == 1 else 'count'} once.")  # fmt: skip
    empty = int((sizes == 0).sum())
    if empty:
        notes.append(f"{_many(empty, 'graph has', 'graphs have')} no nodes: models see nothing of {'it' if empty == 1 else 'them'}.")  # fmt: skip
    missing = int((~np.isfinite(x)).sum())
    if missing:
        x = np.where(np.isfinite(x), x, np.nan)
        notes.append(f"{_many(missing, 'value of a node is', 'values of nodes are')} missing or not finite and {'counts' if missing == 1 else 'count'} as average.")  # fmt: skip
    e = np.where(np.isfinite(tidy.e), tidy.e, np.nan)
    return RawGraphs(name, x, tidy.edges, e, sizes, target, num_labels=num_labels, num_edge_labels=num_edge_labels, notes=notes)  # fmt: skip


def _many(count: int, one: str, several: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {several}"


def join(first: RawGraphs, second: RawGraphs) -> RawGraphs:
    """Graphs of one reading behind those of another.

    Args:
        first: Some graphs.
        second: More, with the same columns.
    """
    for ours, theirs, what in ((first.x, second.x, "nodes"), (first.e, second.e, "edges")):
        if ours.shape[1] != theirs.shape[1]:
            raise InvalidValue(
                f"fit: test must have {ours.shape[1]} columns of {what}, as the training graphs have, got {theirs.shape[1]}."
            )
    none = pd.Series([None] * len(first), dtype=object), pd.Series([None] * len(second), dtype=object)  # fmt: skip
    targets = [none[k] if own.target is None else own.target for k, own in enumerate((first, second))]  # fmt: skip
    return RawGraphs(
        first.name, np.concatenate([first.x, second.x]),
        np.concatenate([first.edges, second.edges + len(first.x)], axis=1), np.concatenate([first.e, second.e]),
        np.concatenate([first.sizes, second.sizes]), pd.concat(targets, ignore_index=True), first.target_name,
        first.num_labels, first.num_edge_labels, [*first.notes, *(f"Test: {note}" for note in second.notes)],
    )  # fmt: skip
