"""The saved text model, and what it predicts."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.data.tables.reading import iterate
from gradatim.errors import InvalidValue, choose, nearest_first
from gradatim.fitting.classes import check_outputs, decide, prediction_frame
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.stored import StoredModel
from gradatim.fitting.texts.linear import WordModel
from gradatim.fitting.texts.networks import TextNetwork
from gradatim.fitting.texts.pretrained import PretrainedNetwork
from gradatim.fitting.texts.problem import read_texts

FittedText = WordModel | TextNetwork | PretrainedNetwork


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TextModel(StoredModel):
    """Models of texts, with everything that turns a text into a prediction.

    Args:
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
        text: Name of the column of texts.
        target: Name of the column that is predicted.
        labels: Class labels; empty for regression.
    """

    folder_kind = "text"
    members = (WordModel, PretrainedNetwork, TextNetwork)
    own = ("text", "target", "labels")

    text: str
    target: str
    labels: list[str | int]

    def outputs(self, frame: pd.DataFrame, model: str, notes: list[str]) -> np.ndarray:
        """Return probabilities ``(N, classes)`` or values ``(N,)``; ``notes`` tells of missing texts."""
        names = [str(name) for name in frame.columns]
        if self.text not in names:
            near = nearest_first(self.text, names)[0] if names else None
            hint = "" if near is None else f" The nearest is {near!r}."
            raise InvalidValue(
                f"predict: the table must have the column {self.text!r}, and has not.{hint}"
            )
        texts = read_texts(frame.iloc[:, names.index(self.text)], notes)
        return self.fitted(model).outputs(texts)

    def rehearsal(self, model: str) -> np.ndarray:
        """Outputs of a word and of nothing."""
        return check_outputs(self.outputs(pd.DataFrame({self.text: ["a", ""]}), model, []), self.labels)  # fmt: skip

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

    def __repr__(self) -> str:
        return f"TextModel({self.recommended!r} for {self.target!r} from {self.text!r})"
