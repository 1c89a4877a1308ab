"""A graph with typed columns of nodes and edges: what problems on one graph share."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Cells, Column, find_columns, read_plain_numbers
from gradatim.fitting.nodes.reading import WEIGHT, Edges
from gradatim.fitting.nodes.view import both_ways
from gradatim.fitting.tables.preprocessing import (  # fmt: skip
    Preprocessing,
    describe_unread,
    fit_preprocessing,
    read_columns,
    take_rows,
)


@dataclass(kw_only=True)
class TypedGraph:
    """Typed nodes and edges.

    Args:
        ids: Of all nodes.
        columns: The columns of nodes that a model may use.
        counts: Those of them that are counts, taken together.
        table: Cells of all nodes.
        index: Edges, each once, shape ``(2, E)``.
        edge_weight: Their weights, if they weigh.
        edge_columns: Columns of edges that attention may use.
        edge_table: Their cells.
        is_directed: Whether edges lead one way.
    """

    ids: list[str]
    columns: list[Column]
    counts: list[str]
    table: dict[str, Cells]
    index: np.ndarray
    edge_weight: np.ndarray | None
    edge_columns: list[Column]
    edge_table: dict[str, Cells]
    is_directed: bool

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def degree(self) -> np.ndarray:
        """Edges of every node."""
        return np.bincount(self.index.reshape(-1), minlength=len(self))

    def graph_contents(self) -> Iterator[bytes]:
        """Yield ids, edges and all cells."""
        yield self.index.tobytes() + str(self.is_directed).encode()
        yield b"" if self.edge_weight is None else self.edge_weight.tobytes()
        for columns, table in ((self.columns, self.table), (self.edge_columns, self.edge_table)):
            for column in columns:
                cells = table[column.name]
                yield repr(column).encode()
                for part in cells if isinstance(cells, tuple) else (cells,):
                    yield part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()
        yield repr(self.ids).encode()

    def learn_edges(self, rows: np.ndarray) -> Preprocessing | None:
        """How columns of edges become features, learned from some edges; ``None`` where there are none."""
        if not self.edge_columns or not len(rows):
            return None
        return fit_preprocessing(self.edge_table, self.edge_columns, rows)

    def edge_features(self, preprocessing: Preprocessing | None, rows: np.ndarray) -> np.ndarray | None:  # fmt: skip
        """Features of some edges, as often as networks list them."""
        if preprocessing is None:
            return None
        own = preprocessing.transform(take_rows(self.edge_table, rows))
        return own if self.is_directed else np.concatenate([own, own])

    def listed(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
        """Some edges and their weights, as networks list them."""
        weight = None if self.edge_weight is None else self.edge_weight[rows]
        if weight is not None and not self.is_directed:
            weight = np.concatenate([weight, weight])
        return both_ways(self.index[:, rows], self.is_directed), weight


def find_node_columns(
    frame: pd.DataFrame, rows: np.ndarray, notes: list[str], *, instead: str = "their degree and random numbers"
) -> tuple[list[Column], dict[str, Cells]]:  # fmt: skip
    """Columns of nodes with their types, and their cells; there may be none.

    Args:
        frame: A row for each node.
        rows: Nodes by which types are found.
        notes: Collects what was left out.
        instead: What is made from ids where there are none.
    """
    if not frame.shape[1]:
        columns: list[Column] = []
    else:
        frame = read_plain_numbers(frame)
        columns, left_out = find_columns(frame.iloc[rows], reads_texts=True)
        notes += left_out
    if not columns:
        notes.append(f"Nodes have no columns to learn from: {instead} made from their ids take their place.")  # fmt: skip
        return [], {}
    table, unread = read_columns(frame, columns, "fit")
    notes += describe_unread(unread, columns)
    return columns, table


def find_edge_columns(edges: Edges, notes: list[str]) -> tuple[list[Column], dict[str, Cells]]:
    """Columns of edges, the weight among them, which attention reads, and their cells.

    Args:
        edges: Edges with their weights and other columns.
        notes: Collects what was left out.
    """
    frame = edges.features.copy()
    if edges.weight is not None and np.ptp(edges.weight) > 0:
        frame[WEIGHT] = edges.weight
    if not frame.shape[1] or not len(frame):
        return [], {}
    frame = read_plain_numbers(frame)
    columns, left_out = find_columns(frame)
    notes += [sentence.replace("Column ", "Column of edges ", 1) for sentence in left_out]
    if any(column.name != WEIGHT for column in columns):
        notes.append("Columns of edges are read by attention (GAT); other models read edges and their weights.")  # fmt: skip
    return columns, read_columns(frame, columns, "fit")[0] if columns else {}
