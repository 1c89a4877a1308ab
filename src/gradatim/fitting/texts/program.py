"""Networks of texts as modules of tensors: tokens, and where they count words or columns, these too."""

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from gradatim.data.vocabulary import SPECIALS, UNKNOWN
from gradatim.fitting.network import Answer
from gradatim.fitting.programs import Input, Program, refuse_to_export
from gradatim.fitting.tables.preprocessing import Preprocessing
from gradatim.fitting.texts.networks import TextNetwork
from gradatim.fitting.texts.pretrained import PretrainedNetwork
from gradatim.models.sentence_encoder import mean_vector

if TYPE_CHECKING:
    from gradatim.fitting.texts.model import TextModel


def text_program(stored: "TextModel", which: str) -> Program:
    """The program of a network of texts.

    Args:
        stored: The model.
        which: ``"network"``, ``"recommended"``, or another model.
    """
    fitted = stored.fitted(which)
    if isinstance(fitted, TextNetwork):
        module, inputs, facts = _learned(fitted)
    elif isinstance(fitted, PretrainedNetwork):
        module, inputs, facts = _published(fitted)
    else:
        refuse_to_export(stored, which)
    if stored.labels:
        facts["labels"] = stored.labels
    return Program(module, inputs, "probabilities" if stored.labels else "prediction", facts)


def _learned(fitted: TextNetwork) -> tuple[nn.Module, list[Input], dict[str, Any]]:
    length, s = fitted.settings["length"], fitted.settings

    def finish(z: Tensor) -> Tensor:
        return z.softmax(1) if fitted.classes else z * s["scale"] + s["center"]

    before = (
        f"A text becomes its first {length} words in small letters: a word is its place in 'words' plus {len(SPECIALS)}, "
        f"{UNKNOWN} for any other; 0 stands behind the end."
    )
    inputs = _tokens(length)
    facts: dict[str, Any] = {"words": fitted.words, "before": before}
    if fitted.prepared is not None:
        inputs.append(_columns(fitted.prepared, torch.float32, facts))
    return Answer(fitted, finish), inputs, facts


def _published(fitted: PretrainedNetwork) -> tuple[nn.Module, list[Input], dict[str, Any]]:
    tokenizer, length = fitted.encoder.tokenizer, fitted.settings["tokens"]
    before = (
        "A text is cut into word pieces by 'tokenizer', between its class and separator tokens."
    )
    inputs = _tokens(length)
    facts: dict[str, Any] = {"tokenizer": tokenizer.describe(), "before": before}
    if fitted.words.terms:
        count = len(fitted.words.terms)
        words = f"weighted counts of the terms, each text scaled to length 1: (1 + ln n) · rarity, double of shape (N, {count})"
        inputs.append(Input("terms", torch.zeros(2, count, dtype=torch.float64), words))
        facts |= {"terms": fitted.words.terms, "rarity": fitted.words.rarity.tolist()}
    if fitted.words.part is not None:
        inputs.append(_columns(fitted.words.part.preprocessing, torch.float64, facts))
    return _PublishedAnswer(fitted), inputs, facts


def _tokens(length: int) -> list[Input]:
    return [
        Input("tokens", torch.ones(2, length, dtype=torch.long), f"int64 of shape (N, {length}), 0 behind the end"),
        Input("lengths", torch.full((2,), length), "tokens of each text, at least 1, int64 of shape (N,)"),
    ]  # fmt: skip


def _columns(prepared: Preprocessing, dtype: torch.dtype, facts: dict[str, Any]) -> Input:
    """The other columns, whose preparation is told."""
    facts |= {"features": prepared.names, "preprocessing": prepared.to_json()}
    words = f"features of the other columns by 'preprocessing', shape (N, {len(prepared.names)})"
    return Input("columns", torch.zeros(2, len(prepared.names), dtype=dtype), words)


class _PublishedAnswer(nn.Module):
    """Vector, terms and columns of a text to its answer, as :class:`PretrainedNetwork` gives it."""

    def __init__(self, fitted: PretrainedNetwork) -> None:
        super().__init__()
        self.encoder, self.classes = fitted.encoder.model, fitted.classes
        parts = [] if not fitted.words.terms else [fitted.words.weight]
        parts += [] if fitted.words.part is None else [fitted.words.part.weight]
        kept = {"center": fitted.center, "scale": fitted.scale, "weight": fitted.weight, "bias": fitted.words.bias}  # fmt: skip
        kept |= {f"part{k}": part for k, part in enumerate(parts)}
        for name, values in kept.items():
            self.register_buffer(name, torch.as_tensor(values, dtype=torch.float64))

    def forward(self, tokens: Tensor, lengths: Tensor, *parts: Tensor) -> Tensor:
        vector = mean_vector(self.encoder(tokens, lengths), lengths).double()
        z = ((vector - self.center) / self.scale) @ self.weight.T + self.bias  # type: ignore[operator]
        for k, part in enumerate(parts):
            z = z + part @ getattr(self, f"part{k}").T
        return z.softmax(1) if self.classes else z
