"""Byte-level byte-pair encoding, the tokens of GPT-2."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from gradatim.data.entries import find
from gradatim.data.tokenizers.checks import check_ids, check_text
from gradatim.data.tokenizers.engine import load_engine
from gradatim.data.tokenizers.published import published_file, read_vocabulary_file
from gradatim.errors import InvalidValue

BYTES = 256


class BytePairTokenizer:
    """Start from bytes and merge frequent neighbours, again and again; every text has an encoding.

    Text is first cut into words with their leading space, numbers, punctuation and white space, by
    GPT-2's rule; merges never cross such a cut. Bytes are written as printable characters: a space
    is ``Ġ``.

    Args:
        vocab: Number of every token.
        merges: Pairs to merge, the most important first.

    Example:
        >>> tokenizer = BytePairTokenizer.train("low lower lowest " * 20, vocab_size=260)
        >>> tokenizer.pieces("lowest low")
        ['low', 'e', 's', 't', 'Ġlow']
        >>> tokenizer.decode(tokenizer.encode("slow 🙂"))
        'slow 🙂'

    Reference:
        Sennrich, Haddow, Birch, Neural Machine Translation of Rare Words with Subword Units, 2016;
        Radford et al., Language Models are Unsupervised Multitask Learners, 2019, section 2.2.
    """

    name = "byte_pair"

    def __init__(
        self, vocab: Mapping[str, int], merges: Iterable[tuple[str, str] | Sequence[str]]
    ) -> None:
        engine = load_engine("BytePairTokenizer")
        self.vocab, self.merges = dict(vocab), [(left, right) for left, right in merges]
        missing = set(engine.pre_tokenizers.ByteLevel.alphabet()) - set(self.vocab)
        if missing or sorted(self.vocab.values()) != list(range(len(self.vocab))):
            raise InvalidValue(
                "BytePairTokenizer: vocab must number all 256 bytes and its tokens from 0 on, "
                f"got {len(self.vocab)} tokens without {len(missing)} of the bytes. "
                "Is it a vocabulary of byte-level pairs?"
            )
        try:
            model = engine.models.BPE(self.vocab, self.merges)
        except Exception as error:  # the engine raises nothing narrower
            raise InvalidValue(
                f"BytePairTokenizer: merges must join tokens of vocab, got a pair that does not ({error})."
            ) from None
        self._engine = _pipeline(engine, model)

    @classmethod
    def train(cls, text: str | Iterable[str], *, vocab_size: int) -> "BytePairTokenizer":
        """Learn merges from a text, or from several, until there are ``vocab_size`` tokens."""
        if vocab_size < BYTES:
            raise InvalidValue(
                f"BytePairTokenizer.train: vocab_size must be at least {BYTES}, one per byte, "
                f"got {vocab_size}. Try 1000."
            )
        engine = load_engine("BytePairTokenizer.train")
        pipeline = _pipeline(engine, engine.models.BPE())
        trainer = engine.trainers.BpeTrainer(
            vocab_size=vocab_size,
            initial_alphabet=sorted(engine.pre_tokenizers.ByteLevel.alphabet()),
            show_progress=False,
        )
        pipeline.train_from_iterator([text] if isinstance(text, str) else text, trainer)
        model = json.loads(pipeline.to_str())["model"]
        return cls(model["vocab"], model["merges"])

    @classmethod
    def load(cls, vocab: str | Path, merges: str | Path) -> "BytePairTokenizer":
        """Read published files: a JSON object of numbers, and a line per merge."""
        numbers = json.loads(read_vocabulary_file("BytePairTokenizer.load", vocab))
        lines = read_vocabulary_file("BytePairTokenizer.load", merges).splitlines()
        pairs = [line.split(" ") for line in lines if line and not line.startswith("#version")]
        return cls(numbers, pairs)

    @classmethod
    def published(cls, name: str = "gpt2-vocabulary") -> "BytePairTokenizer":
        """The tokenizer of a published model, from the catalogue of data sets."""
        vocab, merges = (published_file(name, m.name) for m in find("published", name).members)
        return cls.load(vocab, merges)

    @property
    def vocab_size(self) -> int:
        """Number of tokens."""
        return len(self.vocab)

    def encode(self, text: str) -> list[int]:
        """Token numbers of a text; what looks like a special token is text too."""
        check_text("BytePairTokenizer", text)
        return self._engine.encode(text, add_special_tokens=False).ids

    def pieces(self, text: str) -> list[str]:
        """Tokens of a text, as the vocabulary spells them."""
        check_text("BytePairTokenizer", text)
        return self._engine.encode(text, add_special_tokens=False).tokens

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token numbers; � where a character was cut apart."""
        return self._engine.decode(check_ids(self, ids), skip_special_tokens=False)

    def describe(self) -> dict[str, Any]:
        """Plain data from which ``rebuild_tokenizer`` makes it again."""
        return {"name": self.name, "vocab": self.vocab, "merges": self.merges}


def _pipeline(engine: Any, model: Any) -> Any:
    pipeline = engine.Tokenizer(model)
    pipeline.pre_tokenizer = engine.pre_tokenizers.ByteLevel(add_prefix_space=False)
    pipeline.decoder = engine.decoders.ByteLevel()
    return pipeline
