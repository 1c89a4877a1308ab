"""The saved language model, and what it writes."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import torch

from gradatim.decoding import generate, stream
from gradatim.errors import InvalidValue, choose, require
from gradatim.fitting.loading import load_model
from gradatim.fitting.player import NETWORK
from gradatim.fitting.predicting import RECOMMENDED
from gradatim.fitting.programs import Input, Program
from gradatim.fitting.stored import StoredWriter

TORN = "�"  # what part of a character decodes to


class LanguageModel(StoredWriter):
    """A network that goes on with a text.

    Args:
        network: A trained GPT.
        tokenizer: The tokenizer it was trained with.
        about: Plain facts: bits per character, verdict, data.
    """

    folder_kind = "language"

    def encode(self, prompt: str, notes: list[str] | None = None) -> list[int]:
        """Token numbers of a prompt; of one longer than the context the last are kept, which ``notes`` is told."""
        if not prompt:
            raise InvalidValue(
                "generate: prompt must hold at least one character, got none. Start with a line break."
            )
        tokens, context = self.tokenizer.encode(prompt), self.network.context
        if len(tokens) > context and notes is not None:
            notes.append(
                f"the prompt has {len(tokens):,} tokens; the model sees the last {context} of them."
            )
        return tokens[-context:]

    def generate(
        self,
        prompt: str,
        num_tokens: int = 200,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        num_beams: int = 1,
        stop: str | Sequence[str] = (),
        seed: int = 0,
    ) -> str:
        """Return what follows ``prompt``; the arguments are those of :func:`gradatim.decoding.generate`.

        ``stop`` is a text, or several, behind which the continuation ends; what is searched for by beams is cut there.
        """
        if num_beams == 1:
            return "".join(
                self.stream(prompt, num_tokens, temperature=temperature, top_k=top_k, top_p=top_p, stop=stop, seed=seed)
            )  # fmt: skip
        tokens, stops = self.encode(prompt), self._stops(stop)
        out = generate(
            self.network, tokens, num_tokens, temperature=temperature, top_k=top_k, top_p=top_p,
            num_beams=num_beams, seed=seed,
        )  # fmt: skip
        return "".join(_until([self.tokenizer.decode(out[len(tokens) :].tolist())], stops))

    def stream(
        self,
        prompt: str,
        num_tokens: int = 200,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        top_p: float | None = None,
        stop: str | Sequence[str] = (),
        seed: int = 0,
    ) -> Iterator[str]:
        """Yield what follows ``prompt`` as it is written, in whole characters, up to a ``stop`` and with it."""
        stops = self._stops(stop)
        drawn = stream(
            self.network, self.encode(prompt), num_tokens, temperature=temperature, top_k=top_k,
            top_p=top_p, seed=seed,
        )  # fmt: skip
        return _until(self._whole_characters(int(token) for token in drawn), stops)

    def _stops(self, stop: str | Sequence[str]) -> list[str]:
        """Texts that end a continuation; those that can never be written are refused."""
        stops = [stop] if isinstance(stop, str) else list(stop)
        require(all(stops), "generate: stop must hold at least one character", "none")
        for text in stops:
            self.tokenizer.encode(text)
        return stops

    def _whole_characters(self, tokens: Iterator[int]) -> Iterator[str]:
        held: list[int] = []
        for token in tokens:
            held.append(token)
            text = self.tokenizer.decode(held)
            if not text.endswith(TORN) or len(held) > 4:
                yield text
                held = []
        if held:
            yield self.tokenizer.decode(held)

    def program(self, which: str = NETWORK) -> Program:
        """The network as a program: tokens to logits of the token after each."""
        choose("export", "model", which, (NETWORK, RECOMMENDED))
        context = self.network.context
        words = f"token numbers, int64 of shape (N, T), T up to {context}"
        tokens = Input("tokens", torch.zeros(2, min(context, 8), dtype=torch.long), words, {0: 0, 1: context})  # fmt: skip
        facts = {"tokenizer": self.tokenizer.describe(), "before": "Texts are cut into tokens by 'tokenizer' first."}  # fmt: skip
        return Program(self.network, [tokens], "logits", facts)

    def __repr__(self) -> str:
        sizes = f"context {self.network.context}, {self.tokenizer.vocab_size} tokens"
        return f"LanguageModel({sizes})"


def _until(pieces: Iterable[str], stops: Sequence[str]) -> Iterator[str]:
    """Yield pieces up to the first of the stops, which may lie across several, and with it."""
    longest, before = max(map(len, stops), default=1), ""
    for piece in pieces:
        text = before + piece
        ends = [text.find(stop) + len(stop) for stop in stops if stop in text]
        if ends:
            yield piece[: min(ends) - len(before)]
            return
        yield piece
        before = text[max(0, len(text) - longest + 1) :]


def load_language_model(folder: str | Path) -> LanguageModel:
    """Read a model folder, which must hold a language model."""
    model = load_model(folder)
    if not isinstance(model, LanguageModel):
        raise InvalidValue(
            f"generate: model must be a language model, got a {type(model).__name__}. "
            "Train one with 'gradatim fit TEXT --language-model'."
        )
    return model
