"""A graph whose nodes have a class or a value each, and those set aside for the test.

Nodes with a target come first, so that ``y`` has a row for each of them; those behind have none, and pass messages on.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import (
    Column,
    Levels,
    clean,
    read_cells,
)
from gradatim.data.tables.reading import read_table
from gradatim.data.tables.times import read_times
from gradatim.errors import InvalidValue, require
from gradatim.evaluation.splits import Split
from gradatim.fitting.classes import LabelledRows
from gradatim.fitting.nodes.features import find_counts
from gradatim.fitting.nodes.kind import NODES, NodeOptions
from gradatim.fitting.nodes.reading import Edges, RawNodes, read_ids, read_nodes
from gradatim.fitting.nodes.typed_graph import TypedGraph, find_edge_columns, find_node_columns
from gradatim.fitting.nodes.view import count_components
from gradatim.fitting.tables.problem import find_name, read_labels, split_rows

MIN_NODES = 20


@dataclass
class NodeProblem(TypedGraph, LabelledRows):
    """Typed nodes and edges, target and split.

    Args:
        name: Short name of the graph.
        target: Name of the column to predict.
        labels: Class labels in order of their codes; empty for regression.
        y: Class codes, or values, of the nodes that have one, which come first.
        train: Nodes to learn from.
        test: Nodes that judge at the end.
        groups: Group of every node, if any.
        times: Time of every node, if any.
        notes: What was done to the data, one sentence each.
    """

    things = "nodes"
    name: str
    target: str
    labels: list[str | int]
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray
    groups: np.ndarray | None = None
    times: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def is_inductive(self) -> bool:
        """Whether judged nodes are hidden with their edges from what learns."""
        return self.groups is not None or self.times is not None

    @property
    def unlabelled(self) -> np.ndarray:
        """Nodes without a target."""
        return np.arange(len(self.y), len(self))

    def contents(self) -> Iterator[bytes]:
        """Yield all cells, the edges, the target and the split."""
        yield from super().contents()
        yield from self.graph_contents()

    def places(self) -> tuple[str, list[str]]:
        """Ids of the test nodes, as a column."""
        return "id", [self.ids[k] for k in self.test.tolist()]

    def visible(self, split: Split) -> tuple[np.ndarray, np.ndarray]:
        """Which nodes are seen while learning, and which while judging; hidden ones lose their edges.

        Args:
            split: Nodes to learn from and nodes to judge by.
        """
        learned, judged = split
        everything = np.ones(len(self), dtype=bool)
        if not self.is_inductive:
            return everything, everything
        named = np.zeros(len(self), dtype=bool)
        named[: len(self.y)] = True  # labelled nodes of neither part stay hidden
        named[learned] = named[judged] = False
        if self.times is not None:
            before = (self.times <= self.times[learned].max()) & ~named
            until = (self.times <= self.times[judged].max()) & ~named
        else:
            assert self.groups is not None
            shut = ~np.isin(self.groups, self.groups[named]) & ~named
            before = shut & ~np.isin(self.groups, self.groups[judged])
            until = shut
        before[judged], before[learned], until[learned], until[judged] = False, True, True, True
        return before, until | before

    def seen_edges(self, is_seen: np.ndarray) -> np.ndarray:
        """Which edges join nodes that are both seen."""
        return is_seen[self.index].all(0)


def prepare(data: "str | Path", job: NodeOptions) -> NodeProblem:
    """Read a graph, find target, task and types, and set the test nodes aside.

    Args:
        data: A folder with ``nodes.csv`` and ``edges.csv``, or a built-in name.
        job: What was asked for.
    """
    raw = _sampled(read_nodes(data, is_directed=job.directed), job)
    frame, notes = raw.frame, raw.notes
    target = find_name(frame, job.target or raw.target, "target", raw.target)
    for argument in ("time_column", "group"):
        if getattr(job, argument) is not None:
            find_name(frame, getattr(job, argument), argument)
    dropped = [find_name(frame, name, "drop") for name in job.drop]
    given = np.flatnonzero(clean(frame[target]).notna().to_numpy())
    _check_count(len(given), target)
    labels, y, kept = read_labels(frame[target].iloc[given], job.task, np.zeros(len(given), dtype=bool), notes)  # fmt: skip
    _check_count(len(y), target)
    raw = _labelled_first(raw, given[kept])
    frame = raw.frame
    _describe(raw, len(y), notes)
    groups = None if job.group is None else _read_groups(frame[job.group], job.group)
    times = None if job.time_column is None else read_times(frame, job.time_column)[0]
    is_test = _named_test(job.test, raw.ids[: len(y)])
    train, test = split_rows(y, labels, is_test, job, _part(groups, len(y)), _part(times, len(y)))
    hidden = [target, *dropped, *filter(None, [job.group])]
    columns, table = find_node_columns(
        frame.drop(columns=list(dict.fromkeys(hidden))), train, notes
    )
    edge_columns, edge_table = find_edge_columns(raw.edges, notes)
    return NodeProblem(
        raw.name, target, labels, y, train, test, groups, times, notes,
        ids=raw.ids, columns=columns, counts=find_counts(table, columns), table=table, index=raw.edges.index,
        edge_weight=raw.edges.weight, edge_columns=edge_columns, edge_table=edge_table, is_directed=job.directed,
    )  # fmt: skip


def _check_count(count: int, target: str) -> None:
    require(count >= MIN_NODES, f"fit: a graph must have at least {MIN_NODES} nodes with a {target!r}", count)  # fmt: skip


def _part(values: np.ndarray | None, count: int) -> np.ndarray | None:
    return None if values is None else values[:count]


def _sampled(raw: RawNodes, job: NodeOptions) -> RawNodes:
    """Nodes that were asked for at most, drawn at random, with the edges between them."""
    count = len(raw.ids)
    if job.rows is None or job.rows >= count:
        return raw
    kept = np.sort(np.random.default_rng([job.seed, 9]).permutation(count)[: job.rows])
    own = _arranged(raw, kept)
    lost = raw.edges.index.shape[1] - own.edges.index.shape[1]
    own.notes.append(f"A random sample of {len(kept):,} of {count:,} nodes is used, without {lost:,} edges that lead out of it.")  # fmt: skip
    return own


def _labelled_first(raw: RawNodes, rows: np.ndarray) -> RawNodes:
    others = np.setdiff1d(np.arange(len(raw.ids)), rows)
    return _arranged(raw, np.concatenate([rows, others]))


def _arranged(raw: RawNodes, order: np.ndarray) -> RawNodes:
    """Some nodes in another order, with the edges between them."""
    place = np.full(len(raw.ids), -1)
    place[order] = np.arange(len(order))
    index = place[raw.edges.index]
    kept = (index >= 0).all(0)
    weight = None if raw.edges.weight is None else raw.edges.weight[kept]
    edges = Edges(index[:, kept], weight, raw.edges.features[kept].reset_index(drop=True))
    frame = raw.frame.iloc[order].reset_index(drop=True)
    return replace(raw, ids=[raw.ids[k] for k in order.tolist()], frame=frame, edges=edges)


def _describe(raw: RawNodes, labelled: int, notes: list[str]) -> None:
    """Say what is odd about a graph: nodes without a target, without edges, in parts of their own."""
    count, index = len(raw.ids), raw.edges.index
    if labelled < count:
        notes.append(f"{count - labelled:,} node{' has' if count - labelled == 1 else 's have'} no target: {'it passes' if count - labelled == 1 else 'they pass'} messages on, and {'is' if count - labelled == 1 else 'are'} predicted in unlabelled.csv.")  # fmt: skip
    if not index.shape[1]:
        notes.append("There are no edges: models learn from the columns of the nodes alone.")
        return
    alone = int((np.bincount(index.reshape(-1), minlength=count) == 0).sum())
    if alone:
        notes.append(f"{alone:,} node{' has' if alone == 1 else 's have'} no edge and {'is' if alone == 1 else 'are'} judged by {'its' if alone == 1 else 'their'} own columns.")  # fmt: skip
    parts = count_components(index, count) - alone
    if parts > 1:
        notes.append(f"The graph has {parts:,} parts that no edge joins; nothing is learned from one part about the edges of another.")  # fmt: skip


def _read_groups(cells: pd.Series, name: str) -> np.ndarray:
    levels, _ = read_cells(cells, Column(name, "categorical"))
    assert isinstance(levels, Levels)
    require(
        len(levels.names) >= 4, f"fit: group must have at least 4 different values in {name!r}", len(levels.names),
        "Fewer groups cannot be split into training and judging parts.",
    )  # fmt: skip
    return levels.codes  # nodes without a group form one


def _named_test(test: float | str, ids: list[str]) -> np.ndarray | None:
    """Nodes that a table of ids names for the test; ``None`` where a share is drawn."""
    if not isinstance(test, str):
        return None
    if Path(test).is_dir():
        raise InvalidValue("fit: test must be a share or a table of ids of test nodes, got a folder.")  # fmt: skip
    named = read_table(test).frame
    wanted = set(read_ids(named[str(named.columns[0])], [], "fit"))
    unknown = sorted(wanted - set(ids))
    if unknown:
        raise InvalidValue(f"fit: test must name nodes with a target, got {unknown[0]!r}, which is none in {NODES}.")  # fmt: skip
    return np.isin(np.array(ids, dtype=object), list(wanted))
