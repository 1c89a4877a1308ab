"""Pairs of nodes, some of them joined, and those set aside for the test.

A row is a pair: an edge, or one of as many pairs that no edge joins. The same edges are what messages pass over, so an edge
that is judged must not be among those that pass them, in neither direction.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gradatim.data.tables.times import read_times
from gradatim.errors import InvalidValue, require
from gradatim.evaluation.splits import split_test
from gradatim.fitting.classes import LabelledRows, check_test
from gradatim.fitting.links.kind import LinkOptions
from gradatim.fitting.links.non_edges import draw_non_edges, pair_keys
from gradatim.fitting.nodes.features import find_counts
from gradatim.fitting.nodes.kind import EDGES, NODES
from gradatim.fitting.nodes.reading import Edges, RawNodes, read_nodes
from gradatim.fitting.nodes.typed_graph import TypedGraph, find_edge_columns, find_node_columns
from gradatim.fitting.tables.problem import find_name

APART, JOINED = "apart", "joined"
LEAST = 20  # edges, and pairs that no edge joins


@dataclass
class LinkProblem(TypedGraph, LabelledRows):
    """Typed nodes and edges, pairs and split.

    Args:
        name: Short name of the graph.
        pairs: Both nodes of every row, shape ``(2, R)``; the first rows are the first edges.
        y: 1 where a pair is joined, 0 where it is not.
        train: Rows to learn from.
        test: Rows that judge at the end.
        times: Rank of every row in time, if edges have times.
        edge_times: That of every edge.
        sources: Nodes of one side, where edges lead to the other side alone.
        twins: The same number for both directions of a pair.
        notes: What was done to the data, one sentence each.
    """

    things = "pairs"

    name: str
    pairs: np.ndarray
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray
    times: np.ndarray | None = None
    edge_times: np.ndarray | None = None
    sources: np.ndarray | None = None
    twins: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)
    labels: list[str | int] = field(default_factory=lambda: [APART, JOINED])

    @property
    def joined(self) -> int:
        """Rows that are edges; they come first."""
        return int(self.y.sum())

    def contents(self) -> Iterator[bytes]:
        """Yield all cells, the edges, the pairs and the split."""
        yield from super().contents()
        yield from self.graph_contents()
        yield self.pairs.tobytes() + self.test.tobytes()
        yield b"" if self.edge_times is None else self.edge_times.tobytes()

    def passing(self, learned: np.ndarray) -> np.ndarray:
        """Edges that pass messages while some rows are learned from, and others judged.

        No edge passes any that joins the two nodes of another row, whichever way it leads, nor one that is later than what is
        learned from.

        Args:
            learned: Rows to learn from.
        """
        is_other = np.ones(len(self.y), dtype=bool)
        is_other[learned] = False
        shut = pair_keys(self.pairs[:, is_other], len(self))
        passes = ~np.isin(pair_keys(self.index, len(self)), shut)
        if self.times is not None:
            assert self.edge_times is not None
            passes &= self.edge_times <= self.times[learned].max()
        return np.flatnonzero(passes)


def prepare(data: "str | Path", job: LinkOptions) -> LinkProblem:
    """Read a graph, find types, draw pairs that no edge joins, and set the test pairs aside.

    Args:
        data: A folder with ``edges.csv`` and, if nodes have columns, ``nodes.csv``, or a built-in name.
        job: What was asked for.
    """
    raw = read_nodes(data, is_directed=job.directed, needed=(EDGES,), time_column=job.time_column)
    notes, count = raw.notes, len(raw.ids)
    hidden = _hidden_columns(raw, job)
    edges, ranks = _in_order(raw.edges, job)
    rule = f"fit: a graph must have at least {LEAST} edges to learn links from"
    require(edges.index.shape[1] >= LEAST, rule, edges.index.shape[1])
    _describe(edges, count, notes)
    pairs, y, times = _make_rows(edges, ranks, count, job, notes)
    twins = pair_keys(pairs, count) if job.directed else None
    rng = np.random.default_rng([job.seed, 0])
    train, test = split_test(y, float(job.test), rng, times=times, twins=twins)
    check_test(len(test), "pairs")
    columns, table = find_node_columns(
        raw.frame.drop(columns=hidden), np.unique(pairs[:, train]), notes, instead="random numbers"
    )
    edge_columns, edge_table = find_edge_columns(edges, notes)
    return LinkProblem(
        raw.name, pairs, y, train, test, times, ranks, edges.sources, twins, notes,
        ids=raw.ids, columns=columns, counts=find_counts(table, columns), table=table, index=edges.index,
        edge_weight=edges.weight, edge_columns=edge_columns, edge_table=edge_table, is_directed=job.directed,
    )  # fmt: skip


def _hidden_columns(raw: RawNodes, job: LinkOptions) -> list[str]:
    """Columns of nodes that are not learned from; what a built-in graph has for a target is among them."""
    if job.drop and not raw.frame.shape[1]:
        raise InvalidValue(f"fit: drop must be a column of {NODES}, got {job.drop[0]!r}, and there is none.")  # fmt: skip
    hidden = [find_name(raw.frame, name, "drop") for name in job.drop]
    if raw.target is not None:
        hidden.append(raw.target)
        raw.notes.append(f"Column {raw.target!r}, which says what nodes are, is left out.")
    return list(dict.fromkeys(hidden))


def _in_order(edges: Edges, job: LinkOptions) -> tuple[Edges, np.ndarray | None]:
    """Edges in a random order, so that some of them are the first, and their ranks in time, if they have times."""
    order = np.random.default_rng([job.seed, 9]).permutation(edges.index.shape[1])
    weight = None if edges.weight is None else edges.weight[order]
    features = edges.features.iloc[order].reset_index(drop=True)
    ranks = None
    if job.time_column is not None and len(order):
        times = read_times(features, job.time_column)[0]
        ranks = np.argsort(np.argsort(times, kind="stable"), kind="stable")
        features = features.drop(columns=job.time_column)
    return Edges(edges.index[:, order], weight, features, edges.sources), ranks


def _describe(edges: Edges, count: int, notes: list[str]) -> None:
    """Say what is odd about a graph: nodes without edges, and two sides."""
    alone = count - len(np.unique(edges.index))
    if alone:
        notes.append(f"{alone:,} node{' has' if alone == 1 else 's have'} no edge: only pairs that are not joined name {'it' if alone == 1 else 'them'}.")  # fmt: skip
    if edges.sources is not None:
        one = len(edges.sources)
        notes.append(f"Edges lead from {one:,} node{'' if one == 1 else 's'} to {count - one:,} others and never back: only pairs across these two sides are drawn.")  # fmt: skip


def _make_rows(
    edges: Edges, ranks: np.ndarray | None, count: int, job: LinkOptions, notes: list[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Pairs that are joined and as many that are not, which is which, and their ranks in time."""
    total, rows = edges.index.shape[1], min(job.most_edges, edges.index.shape[1])
    if rows < total:
        notes.append(f"A random sample of {rows:,} of {total:,} edges is learned from and judged; the others pass messages on (a longer --budget or --rows takes more).")  # fmt: skip
    born = None
    if ranks is not None:
        born = np.full(count, total)  # never named
        np.minimum.at(born, edges.index, ranks)
    moments = None if ranks is None else ranks[:rows]
    drawn = draw_non_edges(
        edges.index, count, rows, np.random.default_rng([job.seed, 10]),
        is_directed=job.directed, sources=edges.sources, born=born, moments=moments,
    )  # fmt: skip
    found = np.flatnonzero(drawn[0] >= 0)
    rule = f"fit: a graph must have at least {LEAST} pairs of nodes that no edge joins"
    require(len(found) >= LEAST, rule, len(found), "Where all are joined nothing can be told.")
    if len(found) < rows:
        notes.append(f"Beside {rows:,} edges there are only {len(found):,} pairs that no edge joins{'' if ranks is None else ' at their times'}.")  # fmt: skip
    pairs = np.concatenate([edges.index[:, :rows], drawn[:, found]], axis=1)
    y = np.repeat([1, 0], [rows, len(found)])
    times = None if moments is None else np.concatenate([moments, moments[found]])
    return pairs, y, times
