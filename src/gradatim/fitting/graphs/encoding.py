r"""From columns of nodes and edges to the numbers that models read.

A *label* is a column of few whole numbers and becomes a mark for each of its levels; a *measure* becomes
:math:`(v - \mu)/\sigma`. A node knows its own columns, its degree, and the sums of the columns of its edges.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gradatim.errors import require
from gradatim.fitting.graphs.raw import RawGraphs, count_edges, move_edges, stretch_rows

MOST_LEVELS = 32  # different whole numbers of a label
MOST_COLUMNS = 10_000
MIXED = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Graphs:
    """Graphs as models read them.

    Args:
        x: Numbers of the nodes, shape ``(nodes, F)``.
        colours: What labels a node has, as one number that depends on nothing else.
        edges: Both ends of every edge, in both directions, shape ``(2, E)``.
        edge_colours: What labels an edge has, as one number.
        sizes: Nodes of each graph.
    """

    x: np.ndarray
    colours: np.ndarray
    edges: np.ndarray
    edge_colours: np.ndarray
    sizes: np.ndarray

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def owner(self) -> np.ndarray:
        """The graph of every node."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @property
    def num_edges(self) -> np.ndarray:
        """Directed edges of each graph: twice its undirected ones."""
        return count_edges(self.edges, self.owner, len(self))

    @property
    def degrees(self) -> np.ndarray:
        """Neighbours of every node."""
        return np.bincount(self.edges[1], minlength=len(self.x))

    def take(self, rows: np.ndarray) -> "Graphs":
        """Some of the graphs, in the order of ``rows``.

        Args:
            rows: Which ones.
        """
        counts = self.num_edges
        nodes, ties = stretch_rows(self.sizes, rows), stretch_rows(counts, rows)
        edges = move_edges(self.edges[:, ties], self.sizes, rows, counts[rows])
        return Graphs(self.x[nodes], self.colours[nodes], edges, self.edge_colours[ties], self.sizes[rows])  # fmt: skip


class Column(NamedTuple):
    """How a column becomes numbers.

    Args:
        levels: Levels of a label; none for a measure.
        mean: Mean of a measure.
        scale: Its deviation.
    """

    levels: tuple[float, ...] = ()
    mean: float = 0.0
    scale: float = 1.0

    @property
    def width(self) -> int:
        """Numbers that it makes; a label of two levels makes one."""
        return 1 if len(self.levels) < 3 else len(self.levels)

    def encode(self, values: np.ndarray) -> np.ndarray:
        """Numbers of cells, shape ``(N, width)``; what is missing is average, and a level never seen has no mark."""
        if not self.levels:
            return np.nan_to_num((values - self.mean) / self.scale)[:, None]
        shown = self.levels[-1:] if len(self.levels) < 3 else self.levels
        return (values[:, None] == np.array(shown)).astype(np.float64)

    def codes(self, values: np.ndarray) -> np.ndarray:
        """Place of each cell among the levels, from 1; 0 for others, and for every measure."""
        known = np.array(self.levels)
        found = np.searchsorted(known, np.nan_to_num(values, nan=np.inf))
        near = known[np.minimum(found, len(known) - 1)] if len(known) else values * np.nan
        return np.where(near == values, found + 1, 0)


class Encoder(NamedTuple):
    """How columns of nodes and edges become numbers.

    Args:
        nodes: Columns of the nodes.
        edges: Columns of the edges.
        degree: How the degree of a node does.
    """

    nodes: tuple[Column, ...]
    edges: tuple[Column, ...]
    degree: Column

    @property
    def width(self) -> int:
        """Numbers of a node: its columns, its degree, the sums of the columns of its edges."""
        return sum(c.width for c in (*self.nodes, *self.edges)) + 1

    def encode(self, raw: RawGraphs) -> Graphs:
        """Turn graphs into numbers.

        Args:
            raw: With as many columns as the encoder knows.
        """
        degrees = np.bincount(raw.edges[1], minlength=len(raw.x))
        around = np.zeros((len(raw.x), sum(c.width for c in self.edges)))
        of_edges = _joined(self.edges, raw.e)
        for k in range(around.shape[1]):
            around[:, k] = np.bincount(raw.edges[1], of_edges[:, k], minlength=len(raw.x))
        x = np.concatenate([_joined(self.nodes, raw.x), self.degree.encode(degrees.astype(float)), around], axis=1)  # fmt: skip
        return Graphs(
            x.astype(np.float32), _colours(self.nodes, raw.x), raw.edges, _colours(self.edges, raw.e), raw.sizes
        )  # fmt: skip

    def to_json(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {
            "nodes": [c._asdict() for c in self.nodes],
            "edges": [c._asdict() for c in self.edges],
            "degree": self.degree._asdict(),
        }


def _joined(columns: tuple[Column, ...], values: np.ndarray) -> np.ndarray:
    parts = [column.encode(values[:, k]) for k, column in enumerate(columns)]
    return np.concatenate([np.zeros((len(values), 0)), *parts], axis=1)


def _colours(columns: tuple[Column, ...], values: np.ndarray) -> np.ndarray:
    """One number for the labels of every row."""
    found = np.zeros(len(values), np.uint64)
    for k, column in enumerate(columns):
        found = scramble(found * MIXED + column.codes(values[:, k]).astype(np.uint64))
    return found


def scramble(values: np.ndarray) -> np.ndarray:
    """Whole numbers of 64 bits that look random (SplitMix64).

    Args:
        values: Of 64 bits without a sign.
    """
    x = values + MIXED
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return x ^ (x >> np.uint64(31))


def learn_encoder(raw: RawGraphs) -> Encoder:
    """Learn levels, means and deviations from training graphs.

    Args:
        raw: The training graphs.
    """
    degrees = np.bincount(raw.edges[1], minlength=len(raw.x)).astype(float)
    return Encoder(
        tuple(_learn(raw.x[:, k], k < raw.num_labels) for k in range(raw.x.shape[1])),
        tuple(_learn(raw.e[:, k], k < raw.num_edge_labels) for k in range(raw.e.shape[1])),
        _measure(degrees),
    )


def _learn(values: np.ndarray, is_label: bool) -> Column:
    known = values[np.isfinite(values)]
    levels = np.unique(known)
    few = len(levels) <= MOST_LEVELS and bool((levels == np.round(levels)).all())
    if len(levels) and (few or (is_label and len(levels) <= MOST_COLUMNS)):
        return Column(tuple(levels.tolist()))
    return _measure(known)


def _measure(known: np.ndarray) -> Column:
    with np.errstate(over="ignore"):
        mean, scale = (float(known.mean()), float(known.std())) if len(known) else (0.0, 1.0)
    return Column((), mean, scale if np.isfinite(scale) and scale > 0 else 1.0)


def encoder_from(facts: Mapping[str, Any]) -> Encoder:
    """Undo :meth:`Encoder.to_json`; what no encoder of ours says is refused.

    Args:
        facts: Plain data.
    """
    nodes, edges = (tuple(_column(own) for own in facts[name]) for name in ("nodes", "edges"))
    return Encoder(nodes, edges, _column(facts["degree"]))


def _column(facts: Mapping[str, Any]) -> Column:
    levels = tuple(float(v) for v in facts["levels"])
    mean, scale = float(facts["mean"]), float(facts["scale"])
    is_sound = bool(np.isfinite([mean, scale, *levels]).all()) and scale > 0
    is_sound = is_sound and len(levels) <= MOST_COLUMNS and list(levels) == sorted(set(levels))
    require(is_sound, "load_model: columns of an encoder must have finite levels in order and a positive scale", "others")  # fmt: skip
    return Column(levels, mean, scale)
