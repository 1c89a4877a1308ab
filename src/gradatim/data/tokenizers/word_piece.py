"""WordPiece, the tokens of BERT."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from gradatim.data.entries import find
from gradatim.data.tokenizers.checks import check_ids, check_text
from gradatim.data.tokenizers.engine import load_engine
from gradatim.data.tokenizers.published import published_file, read_vocabulary_file
from gradatim.errors import InvalidValue

PAD, UNKNOWN, CLASS, SEPARATOR, MASK = "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"
SPECIALS = (PAD, UNKNOWN, CLASS, SEPARATOR, MASK)


class EncodedPair(NamedTuple):
    """One text or two, as BERT reads them.

    Args:
        ids: Token numbers: ``[CLS] first [SEP]``, then ``second [SEP]`` if there is one.
        segments: 0 for the first text, 1 for the second.
    """

    ids: list[int]
    segments: list[int]


class WordPieceTokenizer:
    """Cut words into the longest pieces that a list knows, from left to right.

    Text is cleaned of control characters, cut at white space, punctuation and around CJK characters,
    and, unless ``is_cased``, put into lower case without accents. A piece inside a word starts with
    ``##``; a word that cannot be cut is ``[UNK]``.

    Args:
        tokens: The pieces in the order of their numbers, with the special tokens among them.
        is_cased: Whether capitals and accents stay.

    Example:
        >>> tokens = [*SPECIALS, "un", "##aff", "##able", "the"]
        >>> tokenizer = WordPieceTokenizer(tokens)
        >>> tokenizer.pieces("The unaffable"), tokenizer.encode("the cat")
        (['the', 'un', '##aff', '##able'], [8, 1])
        >>> tokenizer.encode_pair("the", "unable")
        EncodedPair(ids=[2, 8, 3, 5, 7, 3], segments=[0, 0, 0, 1, 1, 1])

    Reference:
        Wu et al., Google's Neural Machine Translation System, 2016, section 4.1; Devlin et al., BERT, 2019.
    """

    name = "word_piece"

    def __init__(self, tokens: Sequence[str], *, is_cased: bool = False) -> None:
        engine = load_engine("WordPieceTokenizer")
        self.tokens, self.is_cased = list(tokens), is_cased
        self._numbers = {token: number for number, token in enumerate(self.tokens)}
        absent = [token for token in SPECIALS if token not in self._numbers]
        if absent:
            raise InvalidValue(
                f"WordPieceTokenizer: tokens must hold {', '.join(SPECIALS)}, got none of {', '.join(absent)}. "
                "Is it the vocabulary of a BERT?"
            )
        model = engine.models.WordPiece(
            self._numbers, unk_token=UNKNOWN, max_input_chars_per_word=100
        )
        self._engine = _pipeline(engine, model, is_cased)

    @classmethod
    def train(
        cls, text: str | Iterable[str], *, vocab_size: int, is_cased: bool = False
    ) -> "WordPieceTokenizer":
        """Learn pieces from a text, or from several, until there are about ``vocab_size``.

        The engine numbers the letters that go on a word, and breaks ties between pairs by these numbers, in an order that
        differs from run to run. A first pass finds the letters, and a second has them in the order of the alphabet.
        """
        if vocab_size <= len(SPECIALS):
            raise InvalidValue(
                f"WordPieceTokenizer.train: vocab_size must be more than {len(SPECIALS)}, the special "
                f"tokens, got {vocab_size}. Try 1000."
            )
        engine = load_engine("WordPieceTokenizer.train")
        texts = [text] if isinstance(text, str) else list(text)

        def learn(size: int, first: list[str]) -> dict[str, int]:
            pipeline = _pipeline(engine, engine.models.WordPiece(unk_token=UNKNOWN), is_cased)
            trainer = engine.trainers.WordPieceTrainer(
                vocab_size=size, special_tokens=[*SPECIALS, *first], show_progress=False
            )
            pipeline.train_from_iterator(texts, trainer)
            return dict(pipeline.get_vocab())

        letters = learn(1, [])
        vocab = learn(vocab_size, sorted(token for token in letters if token.startswith("##")))
        return cls(sorted(vocab, key=vocab.__getitem__), is_cased=is_cased)

    @classmethod
    def load(cls, path: str | Path, *, is_cased: bool = False) -> "WordPieceTokenizer":
        """Read a published file, one token per line."""
        text = read_vocabulary_file("WordPieceTokenizer.load", path)
        return cls(text.removesuffix("\n").split("\n"), is_cased=is_cased)

    @classmethod
    def published(cls, name: str = "bert-vocabulary") -> "WordPieceTokenizer":
        """The tokenizer of a published model, from the catalogue of data sets."""
        [member] = find("published", name).members
        return cls.load(published_file(name, member.name))

    @property
    def vocab_size(self) -> int:
        """Number of tokens."""
        return len(self.tokens)

    def number(self, token: str) -> int:
        """The number of a token, such as ``"[MASK]"``; that of ``[UNK]`` for a stranger."""
        return self._numbers.get(token, self._numbers[UNKNOWN])

    def encode(self, text: str) -> list[int]:
        """Token numbers of a text, without special tokens."""
        check_text("WordPieceTokenizer", text)
        # the engine lowers letter by letter, which misses Greek's final sigma
        lowered = text if self.is_cased else text.lower()
        return self._engine.encode(lowered, add_special_tokens=False).ids

    def pieces(self, text: str) -> list[str]:
        """Tokens of a text, as the vocabulary spells them."""
        return [self.tokens[i] for i in self.encode(text)]

    def encode_pair(
        self, first: str, second: str | None = None, *, max_length: int | None = None
    ) -> EncodedPair:
        """Encode one text or two with special tokens; the longer one is cut to keep ``max_length``."""
        a, b = self.encode(first), [] if second is None else self.encode(second)
        room = None if max_length is None else max_length - (2 if second is None else 3)
        if room is not None and room < 0:
            raise InvalidValue(
                f"WordPieceTokenizer: max_length must leave room for special tokens, got {max_length}. Try 128."
            )
        while room is not None and len(a) + len(b) > room:
            (a if len(a) > len(b) else b).pop()
        begin, end = self.number(CLASS), self.number(SEPARATOR)
        ids, segments = [begin, *a, end], [0] * (len(a) + 2)
        if second is None:
            return EncodedPair(ids, segments)
        return EncodedPair([*ids, *b, end], segments + [1] * (len(b) + 1))

    def decode(self, ids: Sequence[int]) -> str:
        """A readable text of token numbers, without special tokens; case and white space are lost."""
        hidden = {self.number(token) for token in SPECIALS}
        return self._engine.decode([i for i in check_ids(self, ids) if i not in hidden])

    def describe(self) -> dict[str, Any]:
        """Plain data from which ``rebuild_tokenizer`` makes it again."""
        return {"name": self.name, "tokens": self.tokens, "is_cased": self.is_cased}


def _pipeline(engine: Any, model: Any, is_cased: bool) -> Any:
    pipeline = engine.Tokenizer(model)
    pipeline.normalizer = engine.normalizers.BertNormalizer(lowercase=not is_cased)
    pipeline.pre_tokenizer = engine.pre_tokenizers.BertPreTokenizer()
    pipeline.decoder = engine.decoders.WordPiece()
    return pipeline
