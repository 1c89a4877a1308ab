"""The saved table model: preprocessing, the recommended model and the network, and what they predict."""

import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from gradatim.data.tables.reading import iterate
from gradatim.errors import choose
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.predicting import RECOMMENDED, one_row
from gradatim.fitting.stored import Facts, StoredModel
from gradatim.fitting.tables.ladders import ladder_module
from gradatim.fitting.tables.one_row import RowReader
from gradatim.fitting.tables.predictors import FAR, Fitted, count_held, predict, rehearse
from gradatim.fitting.tables.preprocessing import (
    Preprocessing,
    describe_unread,
    from_json,
    made_up_rows,
    read_columns,
)
from gradatim.models import MLP

Row = Mapping[str, Any]


@dataclass
class Fallbacks:
    """Cells that could not be used as they were, counted over all rows predicted."""

    unread: Counter[str] = field(default_factory=Counter)
    unseen: Counter[str] = field(default_factory=Counter)
    held: int = 0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TableModel(StoredModel):
    """A model of a table, with everything that turns rows into predictions.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        decisions: How models say a class, by name: weights of the classes, or what mistakes cost; the likeliest by default.
        intervals: How far models may be wrong, by name.
        target: Name of the column that is predicted.
        labels: Class labels; empty for regression.
        preprocessing: From typed columns to features.
    """

    folder_kind = "table"
    members = (Fitted,)
    own = ("target", "labels")

    target: str
    labels: list[str | int]
    preprocessing: Preprocessing

    @property
    def columns(self) -> list[str]:
        """Names of the columns that a table must have."""
        return [encoder.column.name for encoder in self.preprocessing.encoders]

    def outputs(
        self, frame: pd.DataFrame, model: str = RECOMMENDED, fallbacks: Fallbacks | None = None
    ) -> np.ndarray:
        """Return probabilities ``(N, classes)`` or values ``(N,)``; count what could not be used as it was."""
        fallbacks = Fallbacks() if fallbacks is None else fallbacks
        return self._say(self.features(frame, fallbacks), model, fallbacks)

    def features(self, frame: pd.DataFrame, fallbacks: Fallbacks) -> np.ndarray:
        """Return the features of rows, shape ``(N, D)``; count what could not be used as it was."""
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        encoders = self.preprocessing.encoders
        table, unread = read_columns(frame, [encoder.column for encoder in encoders])
        fallbacks.unread.update(unread)
        for encoder in encoders:
            name = encoder.column.name
            fallbacks.unseen.update({name: encoder.count_unseen(table[name])})
        return self.preprocessing.transform(table)

    def _say(self, X: np.ndarray, model: str, fallbacks: Fallbacks) -> np.ndarray:
        outputs = predict(self.fitted(model), X)
        fallbacks.held += count_held(self.fitted(model), outputs)
        return outputs

    def describe(self, fallbacks: Fallbacks) -> list[str]:
        """What was counted, one sentence each."""
        columns = [encoder.column for encoder in self.preprocessing.encoders]
        found = describe_unread(+fallbacks.unread, columns)
        for name, count in (+fallbacks.unseen).items():
            rows = "1 row has a category" if count == 1 else f"{count:,} rows have categories"
            found.append(f"Column {name!r}: {rows} that training never saw; no level is set there.")
        if fallbacks.held:
            rows = "1 row" if fallbacks.held == 1 else f"{fallbacks.held:,} rows"
            found.append(f"The predictions of {rows} lay {FAR}; they are held there.")
        return found

    def predict(self, frame: pd.DataFrame | Row, *, model: str = RECOMMENDED) -> Any:
        """Return a label or a value for every row; columns are found by name.

        Args:
            frame: A table with at least the columns in :attr:`columns`, or one row as a mapping from them to cells.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.

        Returns:
            An array, or a single label or value for a single row.
        """
        found = decide(self._outputs_told(frame, model), self.labels, self.decision(model))
        return found[0] if isinstance(frame, Mapping) else found

    def predict_proba(self, frame: pd.DataFrame | Row, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return class probabilities, shape ``(N, classes)`` or ``(classes,)``, in the order of :attr:`labels`."""
        if not self.labels:
            choose("predict_proba", "task", "regression", ["classification"])
        found = self._outputs_told(frame, model)
        return found[0] if isinstance(frame, Mapping) else found

    @cached_property
    def _reader(self) -> RowReader:
        return RowReader(self.preprocessing)

    def _outputs_told(self, frame: pd.DataFrame | Row, model: str) -> np.ndarray:
        fallbacks = Fallbacks()
        X = self._reader.features(frame) if isinstance(frame, Mapping) else None
        if X is None:
            rows = one_row(frame) if isinstance(frame, Mapping) else frame
            outputs = self.outputs(rows, model, fallbacks)
        else:
            outputs = predict(self.fitted(model), X, block=1)
            fallbacks.held += count_held(self.fitted(model), outputs)
        for sentence in self.describe(fallbacks):
            warnings.warn(sentence, stacklevel=3)
        return outputs

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Predict a stream of rows, one table for each chunk; ``notes`` collects what was counted."""
        self.fitted(model)
        fallbacks = Fallbacks()
        for chunk in iterate(data, notes):
            yield prediction_frame(
                self.outputs(chunk, model, fallbacks), self.labels, None, self.decision(model)
            )
        notes += self.describe(fallbacks)

    @property
    def num_features(self) -> int:
        """Features of a row."""
        return len(self.preprocessing.names)

    def interval_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str], coverage: float
    ) -> Iterator[pd.DataFrame]:
        """Predict a stream of rows with intervals, whose widths may depend on the features."""
        own, fallbacks = self.calibration(model, coverage), Fallbacks()
        decision = self.decision(model)
        for chunk in iterate(data, notes):
            X = self.features(chunk, fallbacks)
            table = prediction_frame(self._say(X, model, fallbacks), self.labels, None, decision)
            yield own.add(table, self.labels, coverage, features=X, decision=decision)
        notes += self.describe(fallbacks)

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of rows that hold little."""
        columns = [encoder.column for encoder in self.preprocessing.encoders]
        X = self.preprocessing.transform(read_columns(made_up_rows(columns), columns)[0])
        return check_outputs(rehearse(self.fitted(model), X), self.labels)

    def network(self) -> torch.nn.Sequential:
        """The (first) network as a PyTorch module, on preprocessed features; its values are neither scaled nor held."""
        fitted = self.fitted("network")
        s = fitted.settings
        weights = [
            a for key, a in fitted.arrays.items() if key.startswith("0.") and "weight" in key
        ]
        module = MLP((weights[0].shape[1], *s["hidden"], len(weights[-1])), activation=s["activation"], dropout=s["dropout"])  # fmt: skip
        linear = [layer for layer in module if isinstance(layer, torch.nn.Linear)]
        for k, layer in enumerate(linear):
            state = {n: torch.from_numpy(fitted.arrays[f"0.{k}.{n}"]) for n in ("weight", "bias")}
            layer.load_state_dict(state)
        return torch.nn.Sequential(ladder_module(fitted.arrays), *module).eval()

    def facts(self) -> Facts:
        """Target, labels and preprocessing."""
        return {**super().facts(), "preprocessing": self.preprocessing.to_json()}

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Undo :meth:`facts`."""
        preprocessing = from_json(description["preprocessing"])
        return {**super().arguments(description, tensors), "preprocessing": preprocessing}

    def __repr__(self) -> str:
        return (
            f"TableModel({self.recommended!r} for {self.target!r} from {len(self.columns)} columns)"
        )
