"""The saved text model, and what it predicts."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.data.tables.columns import Column
from gradatim.data.tables.reading import iterate
from gradatim.errors import InvalidValue, choose, nearest_first, require
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Program
from gradatim.fitting.stored import Facts, StoredModel
from gradatim.fitting.tables.preprocessing import describe_unread, made_up_rows, read_columns
from gradatim.fitting.texts.columns import join_texts
from gradatim.fitting.texts.linear import WordModel
from gradatim.fitting.texts.networks import TextNetwork
from gradatim.fitting.texts.pretrained import PretrainedNetwork
from gradatim.fitting.texts.problem import read_texts
from gradatim.wording import shorten

FittedText = WordModel | TextNetwork | PretrainedNetwork


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TextModel(StoredModel):
    """Models of texts, with everything that turns a text into a prediction.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        text: Names of the columns of texts.
        target: Name of the column that is predicted.
        labels: Class labels; empty for regression.
        columns: The other columns that are read, as plain data.
    """

    folder_kind = "text"
    members = (WordModel, PretrainedNetwork, TextNetwork)
    own = ("text", "target", "labels", "columns")

    text: list[str]
    target: str
    labels: list[str | int]
    columns: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def arguments(cls, description: Facts, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """What the folder says; that of the version before names one column of texts and reads no other."""
        text = description["text"]
        known = {"columns": [], **description, "text": [text] if isinstance(text, str) else text}
        names = known["text"]
        sound = isinstance(names, list) and names and all(isinstance(name, str) for name in names)
        require(bool(sound), "load_model: text must be names of columns", shorten(repr(text), 40))
        return super().arguments(known, tensors)

    def outputs(self, frame: pd.DataFrame, model: str, notes: list[str]) -> np.ndarray:
        """Return probabilities ``(N, classes)`` or values ``(N,)``; ``notes`` tells of missing texts."""
        names = [str(name) for name in frame.columns]
        missing = [name for name in self.text if name not in names]
        if missing:
            near = nearest_first(missing[0], names)[0] if names else None
            hint = "" if near is None else f" The nearest is {near!r}."
            raise InvalidValue(
                f"predict: the table must have the column {missing[0]!r}, and has not.{hint}"
            )
        named = frame.set_axis(names, axis=1)
        named = named.loc[:, ~named.columns.duplicated()]
        texts = read_texts(join_texts(named, self.text), notes)
        if not self.columns:
            return self.fitted(model).outputs(texts)
        columns = [Column(**column) for column in self.columns]
        cells, unread = read_columns(named, columns)
        notes += describe_unread(unread, columns)
        return self.fitted(model).outputs(texts, cells)

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of a word and of nothing."""
        rows = made_up_rows([Column(**column) for column in self.columns])
        texts = pd.DataFrame({name: ["a", "", None] for name in self.text}, dtype=object)
        rows = pd.concat([texts, rows.reindex(range(3))], axis=1)
        return check_outputs(self.outputs(rows, model, []), self.labels)

    def predict(self, frame: pd.DataFrame, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return a label or a value for every row.

        Args:
            frame: A table with the column of texts.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        return decide(self._outputs_told(frame, model), self.labels, self.decision(model))

    def predict_proba(self, frame: pd.DataFrame, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return class probabilities, shape ``(N, classes)``, in the order of :attr:`labels`."""
        if not self.labels:
            choose("predict_proba", "task", "regression", ["classification"])
        return self._outputs_told(frame, model)

    def _outputs_told(self, frame: pd.DataFrame, model: str) -> np.ndarray:
        notes: list[str] = []
        outputs = self.outputs(frame, model, notes)
        for sentence in notes:
            warnings.warn(sentence, stacklevel=3)
        return outputs

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Predict a stream of rows, one table for each chunk; ``notes`` collects what was counted."""
        self.fitted(model)
        for chunk in iterate(data, notes):
            yield prediction_frame(
                self.outputs(chunk, model, notes), self.labels, None, self.decision(model)
            )

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: tokens to probabilities or values."""
        from gradatim.fitting.texts.program import text_program

        return text_program(self, which)

    def __repr__(self) -> str:
        return f"TextModel({self.recommended!r} for {self.target!r} from {' and '.join(map(repr, self.text))})"
