"""The saved translator, and what it writes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pandas as pd
import torch

from gradatim.data.pairs import read_lines
from gradatim.decoding import translate
from gradatim.errors import InvalidValue, choose, require
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Input, Program
from gradatim.fitting.stored import StoredWriter
from gradatim.fitting.translation.batches import decode, encode, pad_tokens

CHUNK = 256  # sentences translated at once
GRID = 8  # sentences are filled up to a multiple of so many tokens
BEAM, LENGTH_POWER = 4, 0.6  # of beam search; from 1 on, endless repetition would pay


class TranslationModel(StoredWriter):
    """A network that reads one language and writes another.

    Args:
        network: A trained Transformer.
        tokenizer: Cuts both languages.
        about: Plain facts: BLEU, verdict, data.
    """

    folder_kind = "translation"

    def translate(
        self, texts: Sequence[str], *, num_beams: int = BEAM, notes: list[str] | None = None
    ) -> list[str]:
        """Translate sentences.

        Args:
            texts: Sentences.
            num_beams: Candidates kept in mind; 1 is greedy.
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
        by_width: dict[int, list[int]] = {}  # how far a sentence is filled up depends on it alone
        for k, row in enumerate(rows):
            by_width.setdefault(min(-(-len(row) // GRID) * GRID, context), []).append(k)
        out = [""] * len(rows)
        for width, places in by_width.items():
            longest = min(2 * width + 8, context)
            for start in range(0, len(places), CHUNK):
                part = places[start : start + CHUNK]
                found = translate(
                    self.network, pad_tokens([rows[k][:context] for k in part], width),
                    num_beams=num_beams, max_length=longest, length_power=LENGTH_POWER,
                )  # fmt: skip
                for k, tokens in zip(part, found.tokens[:, 0].tolist(), strict=True):
                    out[k] = decode(self.tokenizer, tokens)
        return out

    def prediction_tables(
        self, data: "str | Path | pd.DataFrame", model: str, notes: list[str]
    ) -> Iterator[pd.DataFrame]:
        """Translate the first column of a file or frame, one table for each chunk."""
        choose("predict", "model", model, (RECOMMENDED, NETWORK))
        for texts in _chunks(_sources(data)):
            yield pd.DataFrame({"text": texts, "translation": self.translate(texts, notes=notes)})

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: a source and what is written of its translation to logits of the next token."""
        choose("export", "model", which, (NETWORK, RECOMMENDED))
        context = self.network.context
        example = torch.ones(2, min(context, 8), dtype=torch.long)
        words = f"int64 of shape (N, S), S up to {context}, 0 behind the end"
        inputs = [
            Input("source", example, f"token numbers of sentences, {words}", {0: 0, 1: context}),
            Input("target", example, "token numbers of what is written, after the start token", {0: 0}),
        ]  # fmt: skip
        facts = {"tokenizer": self.tokenizer.describe(), "before": "Texts are cut into tokens by 'tokenizer' first."}  # fmt: skip
        return Program(self.network, inputs, "logits", facts)

    def __repr__(self) -> str:
        return f"TranslationModel({self.about.get('data', 'pairs')!r})"


def _sources(data: "str | Path | pd.DataFrame") -> Iterator[str]:
    if isinstance(data, pd.DataFrame):
        require(data.shape[1], "predict: data must have a column of sentences", "none")
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
