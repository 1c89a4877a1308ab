"""The saved text model, and what it predicts."""

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.data.tokenizers import WordPieceTokenizer
from gradatim.errors import InvalidValue, choose, nearest_first
from gradatim.fitting.classes import decide, prediction_frame
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.tables.reading import iterate
from gradatim.fitting.texts.linear import WordModel
from gradatim.fitting.texts.networks import TextNetwork
from gradatim.fitting.texts.pretrained import PretrainedNetwork
from gradatim.fitting.texts.problem import read_texts
from gradatim.model_folder import gather_tensors, save_model, tensors_from, tensors_of
from gradatim.models import BERT, SentenceEncoder, describe, load_weights, rebuild

FittedText = WordModel | TextNetwork | PretrainedNetwork


class TextModel:
    """Models of texts, with everything that turns a text into a prediction.

    Args:
        text: Name of the column of texts.
        target: Name of the column that is predicted.
        labels: Class labels; empty for regression.
        models: Fitted models by name.
        recommended: The one to use.
        about: Plain facts: metrics, verdict, data.
    """

    def __init__(
        self,
        *,
        text: str,
        target: str,
        labels: list[str | int],
        models: dict[str, FittedText],
        recommended: str,
        about: dict[str, Any],
    ) -> None:
        self.text, self.target, self.labels = text, target, labels
        self.models, self.recommended, self.about = models, recommended, about

    def fitted(self, model: str = RECOMMENDED) -> FittedText:
        """The model called ``model``."""
        name = self.recommended if model == RECOMMENDED else model
        return self.models[choose("predict", "model", name, self.models)]

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

    def predict(self, frame: pd.DataFrame, *, model: str = RECOMMENDED) -> np.ndarray:
        """Return a label or a value for every row.

        Args:
            frame: A table with the column of texts.
            model: ``"recommended"`` or the name of a model in the folder, such as ``"network"``.
        """
        return decide(self._outputs_told(frame, model), self.labels)

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
            yield prediction_frame(self.outputs(chunk, model, notes), self.labels)

    def save(self, folder: str | Path, extra: dict[str, bytes] | None = None) -> Path:
        """Write a model folder that :func:`gradatim.load_model` reads."""
        description = {
            "text": self.text,
            "target": self.target,
            "labels": self.labels,
            "recommended": self.recommended,
            "models": {name: _describe(model) for name, model in self.models.items()},
            "about": self.about,
        }
        tensors = gather_tensors({name: _tensors(model) for name, model in self.models.items()})
        return save_model(folder, "text", description, tensors, extra)

    def __repr__(self) -> str:
        return f"TextModel({self.recommended!r} for {self.target!r} from {self.text!r})"


def _describe(model: FittedText) -> dict[str, Any]:
    shared = {"kind": model.kind, "classes": model.classes, "settings": model.settings}
    if isinstance(model, WordModel):
        return {**shared, "terms": model.terms}
    if isinstance(model, PretrainedNetwork):
        encoder = model.encoder
        return {
            **shared,
            "terms": model.words.terms,
            "module": describe(encoder.model),
            "tokens": encoder.tokenizer.tokens,
            "is_cased": encoder.tokenizer.is_cased,
            "max_length": encoder.max_length,
        }
    return {**shared, "words": model.words, "module": describe(model.module)}


def _tensors(model: FittedText) -> dict[str, Tensor]:
    if isinstance(model, TextNetwork):
        return model.module.state_dict()
    if isinstance(model, PretrainedNetwork):
        own = {"center": model.center, "scale": model.scale, "head": model.weight}
        encoder = gather_tensors({"encoder": model.encoder.model.state_dict()})
        return encoder | tensors_from(own) | _tensors(model.words)
    return tensors_from({"rarity": model.rarity, "weight": model.weight, "bias": model.bias})


def _word_model(facts: dict[str, Any], own: dict[str, Tensor]) -> WordModel:
    rarity, weight, bias = (own[key].numpy() for key in ("rarity", "weight", "bias"))
    return WordModel(facts["terms"], rarity, weight, bias, facts["classes"], facts["settings"])


def _pretrained(facts: dict[str, Any], own: dict[str, Tensor]) -> PretrainedNetwork:
    trunk = rebuild(facts["module"])
    assert isinstance(trunk, BERT)
    load_weights("load_model", trunk, tensors_of("encoder", own))
    tokenizer = WordPieceTokenizer(facts["tokens"], is_cased=facts["is_cased"])
    encoder = SentenceEncoder(trunk, tokenizer, max_length=facts["max_length"])
    center, scale, head = (own[key].numpy() for key in ("center", "scale", "head"))
    return PretrainedNetwork(encoder, center, scale, head, _word_model(facts, own), facts["settings"])  # fmt: skip


def from_folder(description: dict[str, Any], tensors: dict[str, Tensor]) -> TextModel:
    """Rebuild a saved text model."""
    models: dict[str, FittedText] = {}
    for name, facts in description["models"].items():
        own = tensors_of(name, tensors)
        if facts["kind"] == WordModel.kind:
            models[name] = _word_model(facts, own)
        elif facts["kind"] == PretrainedNetwork.kind:
            models[name] = _pretrained(facts, own)
        else:
            module = rebuild(facts["module"])
            load_weights("load_model", module, own)
            models[name] = TextNetwork(
                facts["words"], module.eval(), facts["classes"], facts["settings"]
            )
    return TextModel(
        text=description["text"],
        target=description["target"],
        labels=description["labels"],
        models=models,
        recommended=description["recommended"],
        about=description["about"],
    )
