"""The graph that a model keeps, and new nodes put beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.data.tables.columns import Cells, Levels, read_plain_numbers
from gradatim.errors import require
from gradatim.fitting.nodes.features import NodeFeatures
from gradatim.fitting.nodes.reading import WEIGHT, RawNodes
from gradatim.fitting.nodes.view import NodeView, both_ways, drawn_features, drawn_numbers
from gradatim.fitting.stored import Facts
from gradatim.fitting.tables.preprocessing import (  # fmt: skip
    Preprocessing,
    describe_unread,
    from_json,
    made_up_rows,
    read_columns,
)
from gradatim.model_folder import tensors_from

GRAPH = "graph/"  # begins the names of its tensors
OWN = ("x", "index", "weight", "attr")


@dataclass(frozen=True, eq=False)
class KnownGraph:
    """Nodes and edges that a model keeps, to know the neighbours of new nodes.

    Args:
        ids: Of the nodes.
        x: Their features, shape ``(N, D)``, without those that are made of degrees and ids.
        index: Edges, each once.
        weight: Their weights, if they weigh.
        attr: Their features, if attention reads any.
        is_directed: Whether edges lead one way.
    """

    ids: list[str]
    x: np.ndarray
    index: np.ndarray
    weight: np.ndarray | None
    attr: np.ndarray | None
    is_directed: bool

    def view(self, *, reads_degrees: bool = True) -> NodeView:
        """The graph as models read it.

        Args:
            reads_degrees: Whether the degree is a feature of nodes that have no columns.
        """
        edge_index = both_ways(self.index, self.is_directed)
        x = self.x
        if not x.shape[1]:
            drawn = drawn_features(self.ids, edge_index) if reads_degrees else drawn_numbers(self.ids)  # fmt: skip
            x = drawn.astype(np.float32)
        times = 1 if self.is_directed else 2
        doubled = [None if own is None else np.concatenate([own] * times) for own in (self.weight, self.attr)]  # fmt: skip
        return NodeView(x, edge_index, *doubled)

    def joined(self, other: "KnownGraph") -> "KnownGraph":
        """This graph with nodes and edges of another, whose places are those of the whole; rows of known ids are replaced.

        Args:
            other: Its first nodes are new or replace known ones, as :attr:`ids` say; its edges name places of the whole.
        """
        place = {name: k for k, name in enumerate(self.ids)}
        fresh = [name for name in other.ids if name not in place]
        place |= {name: len(self.ids) + k for k, name in enumerate(fresh)}
        x = np.concatenate([self.x, np.zeros((len(fresh), self.x.shape[1]), self.x.dtype)])
        x[[place[name] for name in other.ids]] = other.x
        ids = [*self.ids, *fresh]
        index = np.concatenate([other.index, self.index], axis=1)
        keys = index[0] * len(ids) + index[1]
        first = np.sort(np.unique(keys, return_index=True)[1])  # an edge that is known counts as it is given now  # fmt: skip
        weight, attr = (_both(a, b, other.index.shape[1], self.index.shape[1]) for a, b in ((other.weight, self.weight), (other.attr, self.attr)))  # fmt: skip
        return KnownGraph(
            ids, x, index[:, first], None if weight is None else weight[first],
            None if attr is None else attr[first], self.is_directed,
        )  # fmt: skip

    @property
    def tensors(self) -> dict[str, np.ndarray]:
        """All arrays."""
        given = {"x": self.x, "index": self.index.astype(np.int64), "weight": self.weight, "attr": self.attr}  # fmt: skip
        return {name: own for name, own in given.items() if own is not None}


def _both(new: np.ndarray | None, old: np.ndarray | None, fresh: int, known: int) -> np.ndarray | None:  # fmt: skip
    """Weights or features of new and known edges; those of edges that have none are 1 and 0."""
    if new is None and old is None:
        return None
    if new is None or old is None:
        present = old if new is None else new
        assert present is not None
        missing = fresh if new is None else known
        filler = np.ones(missing) if present.ndim == 1 else np.zeros((missing, present.shape[1]))
        new, old = (filler, present) if new is None else (present, filler)
    return np.concatenate([new, old])


@dataclass(frozen=True, eq=False)
class KnownNodes:
    """A graph that is known, and how columns of new nodes and edges become features of it.

    Args:
        features: From columns of nodes to features.
        edge_features: From columns of edges to features, if attention reads any.
        graph: Nodes and edges that are known.
    """

    features: NodeFeatures
    edge_features: Preprocessing | None
    graph: KnownGraph

    @property
    def columns(self) -> list[str]:
        """Names of the columns that new nodes must have."""
        return [column.name for column in self.features.columns]

    def beside(self, raw: RawNodes, notes: list[str]) -> tuple[KnownGraph, np.ndarray]:
        """Put new nodes beside the known ones.

        Args:
            raw: What was read; its edges may name known nodes.
            notes: Collects what was done.

        Returns:
            The whole graph, and the places of the new nodes in it.
        """
        own = {name: k for k, name in enumerate(self.graph.ids)}
        repeated = sum(name in own for name in raw.ids)
        if repeated:
            notes.append(f"{repeated:,} of the {len(raw.ids):,} nodes are known from training: their rows and edges are taken as they are now.")  # fmt: skip
        fresh = [name for name in raw.ids if name not in own]
        own |= {name: len(own) + k for k, name in enumerate(fresh)}
        named = list(dict.fromkeys([*raw.ids, *self.graph.ids]))  # as edges name them
        index = np.array([own[name] for name in named])[raw.edges.index]
        if not self.graph.is_directed:
            index = np.sort(index, axis=0)
        x = np.zeros((0, self.graph.x.shape[1]), np.float32)
        if raw.ids:
            x = self.features.transform(self._cells(raw.frame, notes), len(raw.ids))
        new = KnownGraph(raw.ids, x, index, raw.edges.weight, self._edge_cells(raw, notes), self.graph.is_directed)  # fmt: skip
        return self.graph.joined(new), np.array([own[name] for name in raw.ids], dtype=np.int64)

    def _cells(self, frame: pd.DataFrame, notes: list[str]) -> dict[str, Cells]:
        if not self.columns:
            return {}
        frame = read_plain_numbers(frame.set_axis([str(name) for name in frame.columns], axis=1))
        table, unread = read_columns(frame, self.features.columns)
        notes += describe_unread(unread, self.features.columns)
        for encoder in self.features.preprocessing.encoders:
            count = encoder.count_unseen(table[encoder.column.name])
            if count:
                notes.append(f"Column {encoder.column.name!r}: {count:,} node{' has a category' if count == 1 else 's have categories'} that training never saw; no level is set there.")  # fmt: skip
        return table

    def _edge_cells(self, raw: RawNodes, notes: list[str]) -> np.ndarray | None:
        """Features of new edges; columns that they have not count as missing, and that is said."""
        if self.edge_features is None:
            return None
        frame = raw.edges.features.copy()
        if raw.edges.weight is not None:
            frame[WEIGHT] = raw.edges.weight
        columns = [encoder.column for encoder in self.edge_features.encoders]
        missing = [column.name for column in columns if column.name not in frame]
        if missing:
            notes.append(f"edges.csv has no column {missing[0]!r}, which the edges of training had: its cells count as missing.")  # fmt: skip
        table: dict[str, Cells] = {}
        for column in columns:
            if column.name in frame:
                table |= read_columns(read_plain_numbers(frame[[column.name]]), [column])[0]
            elif column.kind in ("categorical", "text"):
                table[column.name] = Levels(np.full(len(frame), -1), [])
            else:
                table[column.name] = np.full(len(frame), np.nan)
        return self.edge_features.transform(table)

    def made_up(self) -> KnownGraph:
        """The graph with three more nodes that hold little and have no edges."""
        columns = self.features.columns
        table = read_columns(made_up_rows(columns), columns)[0] if columns else {}
        x = self.features.transform(table, 3)
        new = KnownGraph(["made up 1", "made up 2", "made up 3"], x, np.zeros((2, 0), np.int64), None, None, self.graph.is_directed)  # fmt: skip
        return self.graph.joined(new)

    def tensors(self) -> dict[str, Tensor]:
        """Those of the graph, by names of their own."""
        return tensors_from({f"{GRAPH}{name}": array for name, array in self.graph.tensors.items()})

    def facts(self) -> Facts:
        """Names, ids and preprocessing."""
        edges = None if self.edge_features is None else self.edge_features.to_json()
        return {
            "features": self.features.to_json(), "edge_features": edges,
            "ids": self.graph.ids, "is_directed": self.graph.is_directed,
        }  # fmt: skip

    @classmethod
    def restore(cls, facts: Mapping[str, Any], tensors: dict[str, Tensor]) -> Self:
        """Undo :meth:`facts` and take the graph out of ``tensors``; parts that do not fit each other are refused."""
        features, edges = NodeFeatures.from_json(facts["features"]), facts["edge_features"]
        arrays = {name: tensors.pop(GRAPH + name).numpy() for name in OWN if GRAPH + name in tensors}  # fmt: skip
        graph = KnownGraph(
            facts["ids"], arrays["x"], arrays["index"], arrays.get("weight"), arrays.get("attr"), facts["is_directed"]
        )  # fmt: skip
        edge_features = None if edges is None else from_json(edges)
        _check_graph(graph, edge_features)
        return cls(features, edge_features, graph)


def _check_graph(graph: KnownGraph, edge_features: Preprocessing | None) -> None:
    """Refuse a graph of a folder whose ids, rows and edges do not belong together."""
    ids, edges = graph.ids, graph.index
    is_named = isinstance(ids, list) and all(isinstance(name, str) for name in ids) and len(set(ids)) == len(ids)  # fmt: skip
    require(is_named, "load_model: ids of nodes must be texts, each once", "others")
    is_shaped = graph.x.ndim == 2 and len(graph.x) == len(ids) and graph.x.dtype.kind == "f"
    require(is_shaped and bool(np.isfinite(graph.x).all()), f"load_model: features must be finite, one row for each of {len(ids)} nodes", "others")  # fmt: skip
    is_edges = edges.ndim == 2 and len(edges) == 2 and edges.dtype == np.int64 and bool(((edges >= 0) & (edges < len(ids))).all())  # fmt: skip
    require(is_edges, f"load_model: edges must join {len(ids)} nodes", "others")
    count = edges.shape[1]
    weight, attr = graph.weight, graph.attr
    weighs = weight is None or (weight.shape == (count,) and bool((np.isfinite(weight) & (weight > 0)).all()))  # fmt: skip
    require(weighs, "load_model: weights of edges must be finite and positive, one each", "others")
    width = None if edge_features is None else len(edge_features.names)
    fits = (attr is None) == (width is None) and (attr is None or (attr.shape == (count, width) and bool(np.isfinite(attr).all())))  # fmt: skip
    require(fits, "load_model: features of edges must be finite, one row each", "others")
    require(isinstance(graph.is_directed, bool), "load_model: is_directed must be True or False", repr(graph.is_directed)[:40])  # fmt: skip
