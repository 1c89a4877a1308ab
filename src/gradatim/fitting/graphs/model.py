"""The saved model of whole graphs, and what it predicts."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from gradatim.errors import InvalidValue, choose
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.graphs.candidates import MEMBERS
from gradatim.fitting.graphs.encoding import Encoder, Graphs, encoder_from
from gradatim.fitting.graphs.raw import RawGraphs
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Program
from gradatim.fitting.stored import Facts, StoredModel


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GraphModel(StoredModel):
    """Models of graphs with one class or number each, with everything that turns graphs into predictions.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        target: Name of what is predicted.
        labels: Class labels; empty for regression.
        encoder: From columns of nodes and edges to numbers.
    """

    folder_kind = "graph"
    reads_memory: ClassVar[bool] = True  # lists of graphs as they are
    members = MEMBERS
    own = ("target", "labels")

    target: str
    labels: list[str | int]
    encoder: Encoder

    def read(self, data: Any, notes: list[str]) -> Graphs:
        """Read graphs as ``fit`` did.

        Args:
            data: A file or folder of graphs, the name of a built-in set, or graphs in memory.
            notes: Collects what was done.
        """
        from gradatim.fitting.graphs.problem import read_source

        raw = read_source(data, "predict")
        for values, columns, things in ((raw.x, self.encoder.nodes, "nodes"), (raw.e, self.encoder.edges, "edges")):  # fmt: skip
            if values.shape[1] != len(columns) and (len(values) or columns):
                raise InvalidValue(f"predict: {things} must have {len(columns)} columns, as those of training had, got {values.shape[1]}.")  # fmt: skip
        notes += raw.notes
        unseen = self._count_unseen(raw)
        if unseen:
            notes.append(f"{unseen:,} {'node has a label' if unseen == 1 else 'nodes have labels'} that training never saw; no mark is set there.")  # fmt: skip
        return self.encoder.encode(raw)

    def _count_unseen(self, raw: RawGraphs) -> int:
        is_new = np.zeros(len(raw.x), dtype=bool)
        for k, column in enumerate(self.encoder.nodes):
            if column.levels:
                is_new |= (column.codes(raw.x[:, k]) == 0) & np.isfinite(raw.x[:, k])
        return int(is_new.sum())

    def predict(self, data: Any, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return a label or a value for every graph.

        Args:
            data: A list of :class:`gradatim.data.Graph`, or a file or folder of any kind that ``fit`` reads; ``y`` may be absent.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        return decide(self._outputs_told(data, model), self.labels, self.decision(model))

    def predict_proba(self, data: Any, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return class probabilities, shape ``(N, classes)``, in the order of :attr:`labels`."""
        if not self.labels:
            choose("predict_proba", "task", "regression", ["classification"])
        return self._outputs_told(data, model)

    def _outputs_told(self, data: Any, model: str) -> np.ndarray:
        notes: list[str] = []
        outputs = self.fitted(model).outputs(self.read(data, notes))
        for sentence in notes:
            warnings.warn(sentence, stacklevel=3)
        return outputs

    def prediction_tables(self, data: Any, model: str, notes: list[str]) -> Iterator[pd.DataFrame]:
        """Predict all graphs, one row each, numbered from 1."""
        fitted = self.fitted(model)
        graphs = self.read(data, notes)
        places = ("graph", np.arange(1, len(graphs) + 1))
        yield prediction_frame(fitted.outputs(graphs), self.labels, places, self.decision(model))

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of a path of three nodes, and of one node."""
        counts = len(self.encoder.nodes), len(self.encoder.edges)
        edges = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
        raw = RawGraphs("", np.zeros((4, counts[0])), edges, np.zeros((4, counts[1])), np.array([3, 1]))  # fmt: skip
        return check_outputs(self.fitted(model).rehearse(self.encoder.encode(raw)), self.labels)

    def program(self, which: str = NETWORK) -> Program:
        """Refused: a program takes inputs of one shape, and graphs have any number of nodes and edges."""
        raise InvalidValue(
            f"export: model must read inputs of one shape, got {self.choose(which)!r}, which reads graphs of any size. "
            "Use it with gradatim.load_model."
        )

    def network(self) -> torch.nn.Module:
        """The network as a PyTorch module, on numbers of nodes ``(N, F)``, edges ``(2, E)`` and the graph of every node."""
        return self.fitted("network").module.eval()

    def facts(self) -> Facts:
        """Names and encoder."""
        return {**super().facts(), "encoder": self.encoder.to_json()}

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`."""
        return {**super().arguments(description, tensors), "encoder": encoder_from(description["encoder"])}  # fmt: skip

    def __repr__(self) -> str:
        return f"GraphModel({self.recommended!r} for {self.target!r} from {len(self.encoder.nodes)} columns of nodes)"
