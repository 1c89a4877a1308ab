"""The saved model of links: the graph that it knows, and which pairs of its nodes, and of new ones, are joined."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.data.tables.reading import read_table
from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.fitting.classes import Labels, check_outputs, decide, prediction_frame
from gradatim.fitting.links.candidates import PairModel
from gradatim.fitting.links.networks import LinkNetwork
from gradatim.fitting.links.non_edges import pair_keys
from gradatim.fitting.nodes.kind import EDGES, NODES
from gradatim.fitting.nodes.known_graph import KnownGraph, KnownNodes
from gradatim.fitting.nodes.reading import end_columns, find_ends, read_nodes
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.stored import Facts, StoredModel
from gradatim.wording import shorten

PAIRS = "pairs.csv"


def pair_frame(
    ids: np.ndarray, outputs: np.ndarray, labels: Labels, decision: np.ndarray | None = None
) -> pd.DataFrame:
    """Predictions of pairs as a table: ``source``, ``target``, ``prediction`` and probabilities.

    Args:
        ids: Of both nodes, shape ``(2, P)``.
        outputs: Probabilities, shape ``(P, 2)``.
        labels: Names of the two classes.
        decision: As in :func:`~gradatim.fitting.classes.decide`.
    """
    ends = pd.DataFrame({"source": ids[0], "target": ids[1]})
    return pd.concat([ends, prediction_frame(outputs, labels, decision=decision)], axis=1)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LinkModel(StoredModel):
    """Models of links, with the graph they learned from and everything that turns pairs into predictions.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        decisions: How models say a class, by name.
        labels: Names of pairs that are not joined, and of those that are.
        known: Nodes and edges that are known, and how new ones are read.
    """

    folder_kind = "link"
    members = (LinkNetwork, PairModel)
    own = ("labels",)

    labels: list[str | int]
    known: KnownNodes

    def read(self, data: "str | Path | pd.DataFrame", notes: list[str]) -> tuple[np.ndarray, KnownGraph, np.ndarray]:  # fmt: skip
        """Read pairs, and new nodes beside them.

        Args:
            data: A table of pairs with the columns ``source`` and ``target``, or a folder with such a table, ``pairs.csv``, and
                new nodes and edges in ``nodes.csv`` and ``edges.csv``, if there are any.
            notes: Collects what was done.

        Returns:
            Ids of both nodes of every pair, the whole graph, and their places in it.
        """
        graph, table = self.known.graph, data
        if not isinstance(data, str | Path | pd.DataFrame):
            raise InvalidType(f"predict: data must be a table of pairs or a folder with {PAIRS}, got a {type(data).__name__}.")  # fmt: skip
        if not isinstance(data, pd.DataFrame) and Path(data).is_dir():
            table = Path(data) / PAIRS
            if not table.is_file():
                raise Unavailable(f"{table}: there is no such file. Name the pairs to predict there, in columns 'source' and 'target'.")  # fmt: skip
            raw = read_nodes(
                data, is_directed=graph.is_directed, known=graph.ids, owner="predict", needed=(),
                names_nodes=not self.known.columns,
            )  # fmt: skip
            notes += raw.notes
            graph = self.known.beside(raw, notes)[0]
        found = read_table(table)
        notes += found.notes
        return self._find_pairs(found.frame, graph, notes)

    def _find_pairs(self, frame: pd.DataFrame, graph: KnownGraph, notes: list[str]) -> tuple[np.ndarray, KnownGraph, np.ndarray]:  # fmt: skip
        """Places of pairs; ids that no node has are refused, and edges that are known said."""
        places = {name: k for k, name in enumerate(graph.ids)}
        ends = end_columns(frame, notes, "predict", PAIRS)
        texts, found = find_ends(frame, ends, places, notes, PAIRS)
        unknown = np.isnan(found)
        if unknown.any():
            row = int(unknown.any(0).argmax())
            cell = texts[int(unknown[:, row].argmax())].iloc[row]
            name = "none" if pd.isna(cell) else shorten(repr(str(cell)), 40)
            raise InvalidValue(f"predict: pairs must name nodes by their ids, got {name} in row {row + 1}, which no node has. Give new nodes in a folder with {NODES}, {EDGES} and {PAIRS}.")  # fmt: skip
        pairs = found.astype(np.int64)
        itself = int((pairs[0] == pairs[1]).sum())
        if itself:
            notes.append(f"{itself:,} pair{' is' if itself == 1 else 's are'} a node and itself, of which nothing was learned.")  # fmt: skip
        asked, edges = (pair_keys(own, len(places), is_directed=graph.is_directed) for own in (pairs, graph.index))  # fmt: skip
        known = int(np.isin(asked, edges).sum())
        if known:
            notes.append(f"{known:,} of the {pairs.shape[1]:,} pairs {'is an edge that is' if known == 1 else 'are edges that are'} known already: what is said of {'it' if known == 1 else 'them'} is no prediction.")  # fmt: skip
        ids = np.array([[str(cell) for cell in own] for own in texts], dtype=object)
        return ids, graph, pairs

    def _outputs(self, graph: KnownGraph, pairs: np.ndarray, model: str) -> np.ndarray:
        return self.fitted(model).outputs(graph.view(reads_degrees=False), pairs)

    def predict(self, data: "str | Path | pd.DataFrame", *, model: str = RECOMMENDED) -> np.ndarray:
        """Return whether pairs are joined.

        Args:
            data: As in :meth:`read`.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        return decide(self.predict_proba(data, model=model), self.labels, self.decision(model))

    def predict_proba(self, data: "str | Path | pd.DataFrame", *, model: str = RECOMMENDED) -> np.ndarray:  # fmt: skip
        """Return probabilities to be apart and to be joined, shape ``(P, 2)``, among as many pairs of one kind as of the other."""
        notes: list[str] = []
        self.choose(model)
        _, graph, pairs = self.read(data, notes)
        for sentence in notes:
            warnings.warn(sentence, stacklevel=2)
        return self._outputs(graph, pairs, model)

    def prediction_tables(self, data: Any, model: str, notes: list[str]) -> Iterator[pd.DataFrame]:
        """Predict all pairs, one row each, under the ids of both nodes."""
        self.choose(model)
        ids, graph, pairs = self.read(data, notes)
        yield pair_frame(ids, self._outputs(graph, pairs, model), self.labels, self.decision(model))

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of known nodes with each other, and with some that hold little and have no edges."""
        fitted, graph = self.fitted(model), self.known.made_up()
        some = np.arange(len(graph.ids))[-6:]
        pairs = np.stack([some, np.roll(some, 1)])
        said = fitted.rehearse if isinstance(fitted, PairModel) else fitted.outputs
        return check_outputs(said(graph.view(reads_degrees=False), pairs), self.labels)

    def tensors(self) -> dict[str, Tensor]:
        """Those of the models and of the graph."""
        return super().tensors() | self.known.tensors()

    def facts(self) -> Facts:
        """Labels, ids and preprocessing."""
        return super().facts() | self.known.facts()

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`; a graph whose parts do not fit each other is refused."""
        known = KnownNodes.restore(description, tensors)
        return {**super().arguments(description, tensors), "known": known}

    def __repr__(self) -> str:
        return f"LinkModel({self.recommended!r} for pairs of {len(self.known.graph.ids):,} nodes)"
