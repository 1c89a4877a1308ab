"""The saved model of nodes: the graph that it knows, and what it predicts of new nodes beside it."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.data.tables.columns import Cells, Levels, read_plain_numbers
from gradatim.errors import choose, require
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.nodes.candidates import FeatureModel
from gradatim.fitting.nodes.features import NodeFeatures
from gradatim.fitting.nodes.networks import NodeNetwork
from gradatim.fitting.nodes.propagation import Propagation
from gradatim.fitting.nodes.reading import WEIGHT, RawNodes, read_nodes
from gradatim.fitting.nodes.view import NodeView, both_ways, drawn_features
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.stored import Facts, StoredModel
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

    def view(self) -> NodeView:
        """The graph as models read it."""
        edge_index = both_ways(self.index, self.is_directed)
        x = self.x if self.x.shape[1] else drawn_features(self.ids, edge_index).astype(np.float32)
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


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NodeModel(StoredModel):
    """Models of nodes, with the graph they learned from and everything that turns new nodes into predictions.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        decisions: How models say a class, by name.
        target: Name of the column that is predicted.
        labels: Class labels; empty for regression.
        features: From columns of nodes to features.
        edge_features: From columns of edges to features, if attention reads any.
        graph: Nodes and edges that are known.
    """

    folder_kind = "node"
    members = (Propagation, NodeNetwork, FeatureModel)
    own = ("target", "labels")

    target: str
    labels: list[str | int]
    features: NodeFeatures
    edge_features: Preprocessing | None
    graph: KnownGraph

    @property
    def columns(self) -> list[str]:
        """Names of the columns that new nodes must have."""
        return [column.name for column in self.features.columns]

    def read(self, data: "str | Path", notes: list[str]) -> tuple[RawNodes, NodeView, np.ndarray]:
        """Read new nodes and put them beside the known ones.

        Args:
            data: A folder with ``nodes.csv`` and ``edges.csv``; edges may name known nodes.
            notes: Collects what was done.

        Returns:
            What was read, the whole graph, and the places of the new nodes in it.
        """
        raw = read_nodes(data, is_directed=self.graph.is_directed, known=self.graph.ids, owner="predict")  # fmt: skip
        notes += raw.notes
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
        table = self._cells(raw.frame, notes)
        new = KnownGraph(raw.ids, self.features.transform(table, len(raw.ids)), index, raw.edges.weight, self._edge_cells(raw, notes), self.graph.is_directed)  # fmt: skip
        return raw, self.graph.joined(new).view(), np.array([own[name] for name in raw.ids])

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

    def predict(self, data: "str | Path", *, model: str = RECOMMENDED) -> np.ndarray:
        """Return a label or a value for every node of a folder.

        Args:
            data: A folder with ``nodes.csv`` and ``edges.csv``; edges may name nodes of training.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        return decide(self._outputs_told(data, model), self.labels, self.decision(model))

    def predict_proba(self, data: "str | Path", *, model: str = RECOMMENDED) -> np.ndarray:
        """Return class probabilities, shape ``(N, classes)``, in the order of :attr:`labels`."""
        if not self.labels:
            choose("predict_proba", "task", "regression", ["classification"])
        return self._outputs_told(data, model)

    def _outputs_told(self, data: "str | Path", model: str) -> np.ndarray:
        notes: list[str] = []
        fitted = self.fitted(model)
        _, view, places = self.read(data, notes)
        for sentence in notes:
            warnings.warn(sentence, stacklevel=3)
        return fitted.outputs(view)[places]

    def prediction_tables(self, data: Any, model: str, notes: list[str]) -> Iterator[pd.DataFrame]:
        """Predict all nodes of a folder, one row each, under their ids."""
        fitted = self.fitted(model)
        raw, view, places = self.read(data, notes)
        yield prediction_frame(fitted.outputs(view)[places], self.labels, ("id", raw.ids), self.decision(model))  # fmt: skip

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of the known nodes, and of some that hold little and have no edges."""
        columns = self.features.columns
        table = read_columns(made_up_rows(columns), columns)[0] if columns else {}
        x = self.features.transform(table, 3)
        new = KnownGraph(["made up 1", "made up 2", "made up 3"], x, np.zeros((2, 0), np.int64), None, None, self.graph.is_directed)  # fmt: skip
        fitted, view = self.fitted(model), self.graph.joined(new).view()
        outputs = fitted.rehearse(view) if isinstance(fitted, FeatureModel) else fitted.outputs(view)  # fmt: skip
        return check_outputs(outputs, self.labels)

    def tensors(self) -> dict[str, Tensor]:
        """Those of the models and of the graph."""
        own = {f"{GRAPH}{name}": array for name, array in self.graph.tensors.items()}
        return super().tensors() | tensors_from(own)

    def facts(self) -> Facts:
        """Names, ids and preprocessing."""
        edges = None if self.edge_features is None else self.edge_features.to_json()
        return {
            **super().facts(), "features": self.features.to_json(), "edge_features": edges,
            "ids": self.graph.ids, "is_directed": self.graph.is_directed,
        }  # fmt: skip

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`; a graph whose parts do not fit each other is refused."""
        features = NodeFeatures.from_json(description["features"])
        edges = description["edge_features"]
        arrays = {name: tensors.pop(GRAPH + name).numpy() for name in OWN if GRAPH + name in tensors}  # fmt: skip
        graph = KnownGraph(
            description["ids"], arrays["x"], arrays["index"], arrays.get("weight"), arrays.get("attr"), description["is_directed"]
        )  # fmt: skip
        edge_features = None if edges is None else from_json(edges)
        _check_graph(graph, edge_features)
        own = super().arguments(description, tensors)
        return {**own, "features": features, "edge_features": edge_features, "graph": graph}

    def __repr__(self) -> str:
        return f"NodeModel({self.recommended!r} for {self.target!r} beside {len(self.graph.ids):,} nodes)"  # fmt: skip


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
