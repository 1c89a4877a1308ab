"""One token per byte: any text in any script, nothing to learn."""

from collections.abc import Sequence
from typing import Any

from gradatim.data.tokenizers.checks import check_ids, check_text


class ByteTokenizer:
    """Number bytes by themselves: UTF-8.

    Example:
        >>> tokenizer = ByteTokenizer()
        >>> tokenizer.encode("hé"), tokenizer.vocab_size
        ([104, 195, 169], 256)
        >>> tokenizer.decode([104, 195, 169])
        'hé'
    """

    name, vocab_size = "byte", 256

    def encode(self, text: str) -> list[int]:
        """Bytes of the text."""
        return list(check_text("ByteTokenizer", text))

    def decode(self, ids: Sequence[int]) -> str:
        """The text of bytes; � where they are none."""
        return bytes(check_ids(self, ids)).decode("utf-8", errors="replace")

    def describe(self) -> dict[str, Any]:
        """Plain data from which ``rebuild_tokenizer`` makes it again."""
        return {"name": self.name}
