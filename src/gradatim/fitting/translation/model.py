"""The saved translator, and what it writes."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from torch import Tensor

from gradatim.data.tokenizers import Tokenizer, rebuild_tokenizer
from gradatim.decoding import translate
from gradatim.errors import InvalidValue, choose
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.translation.batches import decode, encode, pad_tokens
from gradatim.fitting.translation.pairs import read_lines
from gradatim.model_folder import save_model
from gradatim.models import Transformer, describe, load_weights, rebuild

CHUNK = 256  # sentences translated at once
BEAM, LENGTH_POWER = 4, 0.6  # of beam search; from 1 on, endless repetition would pay


class TranslationModel:
    """A network that reads one language and writes another.

    Args:
        network: A trained Transformer.
        tokenizer: Cuts both languages.
        about: Plain facts: BLEU, verdict, data.
    """

    def __init__(
        self, network: Transformer, tokenizer: Tokenizer, *, about: dict[str, Any]
    ) -> None:
        self.network, self.tokenizer, self.about = network, tokenizer, about

    def translate(
        self, texts: Sequence[str], *, beam_width: int = BEAM, notes: list[str] | None = None
    ) -> list[str]:
        """Translate sentences.

        Args:
            texts: Sentences.
            beam_width: Candidates kept in mind; 1 is greedy.
            notes: Collects what could not be used as it was.
        """
        rows = [encode(self.tokenizer, text) for text in texts]
        blank = [k for k, row in enumerate(rows) if not row]
        if blank:
            raise InvalidValue(
                f"translate: texts must not be empty, got one in place {blank[0] + 1}. Leave it out."
            )
        context = self.network.context
        long = sum(len(row) > context for row in rows)
        if long and notes is not None:
            notes.append(f"{long} of {len(rows)} texts are longer than {context} tokens; the rest of each is not read.")  # fmt: skip
        order = sorted(range(len(rows)), key=lambda k: len(rows[k]))
        out = [""] * len(rows)
        for start in range(0, len(rows), CHUNK):
            places = order[start : start + CHUNK]
            source = pad_tokens([rows[k][:context] for k in places])
            longest = min(2 * source.shape[1] + 8, context)
            found = translate(
                self.network,
                source,
                num_beams=beam_width,
                max_length=longest,
                length_power=LENGTH_POWER,
            )
            for k, tokens in zip(places, found.tokens[:, 0].tolist(), strict=True):
                out[k] = decode(self.tokenizer, tokens)
        return out

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Translate the first column of a file or frame, one table for each chunk."""
        choose("predict", "model", model, (RECOMMENDED, NETWORK))
        for texts in _chunks(_sources(data)):
            yield pd.DataFrame({"text": texts, "translation": self.translate(texts, notes=notes)})

    def save(self, folder: str | Path, extra: dict[str, bytes] | None = None) -> Path:
        """Write a model folder that :func:`gradatim.load_model` reads."""
        description = {
            "tokenizer": self.tokenizer.describe(),
            "network": describe(self.network),
            "about": self.about,
        }
        weights = self.network.state_dict()
        return save_model(folder, "translation", description, weights, extra)

    def __repr__(self) -> str:
        return f"TranslationModel({self.about.get('data', 'pairs')!r})"


def _sources(data: "str | Path | pd.DataFrame") -> Iterator[str]:
    if isinstance(data, pd.DataFrame):
        yield from (str(cell) for cell in data.iloc[:, 0])
        return
    empty = True
    for _, cells in read_lines(data):
        empty = False
        yield cells[0].strip()
    if empty:
        raise InvalidValue(f"{data}: must hold sentences, one a line, but it is empty.")


def _chunks(texts: Iterator[str]) -> Iterator[list[str]]:
    held: list[str] = []
    for text in texts:
        held.append(text)
        if len(held) == 8 * CHUNK:
            yield held
            held = []
    if held:
        yield held


def from_folder(description: dict[str, Any], tensors: dict[str, Tensor]) -> TranslationModel:
    """Rebuild a saved translator; weights of another network are refused by name."""
    network = rebuild(description["network"])
    assert isinstance(network, Transformer)
    load_weights("load_model", network, tensors)
    tokenizer = rebuild_tokenizer(description["tokenizer"])
    return TranslationModel(network.eval(), tokenizer, about=description["about"])
