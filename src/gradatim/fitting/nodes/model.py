"""The saved model of nodes: the graph that it knows, and what it predicts of new nodes beside it."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.errors import choose
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.nodes.candidates import FeatureModel
from gradatim.fitting.nodes.known_graph import KnownNodes
from gradatim.fitting.nodes.networks import NodeNetwork
from gradatim.fitting.nodes.propagation import Propagation
from gradatim.fitting.nodes.reading import RawNodes, read_nodes
from gradatim.fitting.nodes.view import NodeView
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.stored import Facts, StoredModel


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
        known: Nodes and edges that are known, and how new ones are read.
    """

    folder_kind = "node"
    members = (Propagation, NodeNetwork, FeatureModel)
    own = ("target", "labels")

    target: str
    labels: list[str | int]
    known: KnownNodes

    def read(self, data: "str | Path", notes: list[str]) -> tuple[RawNodes, NodeView, np.ndarray]:
        """Read new nodes and put them beside the known ones.

        Args:
            data: A folder with ``nodes.csv`` and ``edges.csv``; edges may name known nodes.
            notes: Collects what was done.

        Returns:
            What was read, the whole graph, and the places of the new nodes in it.
        """
        graph = self.known.graph
        raw = read_nodes(data, is_directed=graph.is_directed, known=graph.ids, owner="predict")  # fmt: skip
        notes += raw.notes
        graph, places = self.known.beside(raw, notes)
        return raw, graph.view(), places

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
        fitted, view = self.fitted(model), self.known.made_up().view()
        outputs = fitted.rehearse(view) if isinstance(fitted, FeatureModel) else fitted.outputs(view)  # fmt: skip
        return check_outputs(outputs, self.labels)

    def tensors(self) -> dict[str, Tensor]:
        """Those of the models and of the graph."""
        return super().tensors() | self.known.tensors()

    def facts(self) -> Facts:
        """Names, ids and preprocessing."""
        return super().facts() | self.known.facts()

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`; a graph whose parts do not fit each other is refused."""
        known = KnownNodes.restore(description, tensors)
        return {**super().arguments(description, tensors), "known": known}

    def __repr__(self) -> str:
        return f"NodeModel({self.recommended!r} for {self.target!r} beside {len(self.known.graph.ids):,} nodes)"  # fmt: skip
