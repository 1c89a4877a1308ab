"""Every kind of tokenizer, and the way back from its description."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from gradatim.data.tokenizers.byte_pair import BytePairTokenizer
from gradatim.data.tokenizers.bytes import ByteTokenizer
from gradatim.data.tokenizers.character import CharacterTokenizer
from gradatim.data.tokenizers.word_piece import WordPieceTokenizer
from gradatim.errors import choose

KINDS: dict[str, Any] = {
    kind.name: kind
    for kind in (CharacterTokenizer, ByteTokenizer, BytePairTokenizer, WordPieceTokenizer)
}


class Tokenizer(Protocol):
    """What every tokenizer does: text to numbers and back."""

    @property
    def vocab_size(self) -> int:
        """Number of tokens."""

    def encode(self, text: str) -> list[int]:
        """Token numbers of a text."""

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token numbers."""

    def describe(self) -> dict[str, Any]:
        """Plain data from which :func:`rebuild_tokenizer` makes it again."""


def rebuild_tokenizer(description: Mapping[str, Any]) -> Tokenizer:
    """Make the tokenizer that ``describe()`` described.

    Args:
        description: ``{"name": ..., ...}``, as JSON keeps it.

    Example:
        >>> rebuild_tokenizer({"name": "character", "characters": "abc"}).encode("cab")
        [2, 0, 1]
    """
    name = choose("rebuild_tokenizer", "name", description.get("name"), KINDS)
    return KINDS[name](**{key: value for key, value in description.items() if key != "name"})
