"""One token per character."""

from collections.abc import Iterable, Sequence
from typing import Any

from gradatim.data.tokenizers.checks import check_ids, check_text
from gradatim.errors import InvalidValue


class CharacterTokenizer:
    """Number the characters of a text in the order of their code points.

    Args:
        characters: The different characters, in the order of their numbers.

    Example:
        >>> tokenizer = CharacterTokenizer.train("abba cab")
        >>> tokenizer.characters, tokenizer.encode("cab")
        (' abc', [3, 1, 2])
        >>> tokenizer.decode([3, 1, 2])
        'cab'
    """

    name = "character"

    def __init__(self, characters: str) -> None:
        check_text("CharacterTokenizer", characters)
        self.characters = characters
        self._numbers = {character: number for number, character in enumerate(characters)}
        if not characters or len(self._numbers) < len(characters):
            raise InvalidValue(
                "CharacterTokenizer: characters must be different and at least one, "
                f"got {characters[:40]!r}. Try CharacterTokenizer.train(text)."
            )

    @classmethod
    def train(cls, text: str | Iterable[str]) -> "CharacterTokenizer":
        """Collect the characters of a text, or of several."""
        parts = [text] if isinstance(text, str) else text
        return cls("".join(sorted(set().union(*parts))))

    @property
    def vocab_size(self) -> int:
        """Number of characters."""
        return len(self.characters)

    def encode(self, text: str) -> list[int]:
        """Numbers of the characters; one that was never seen is refused."""
        check_text("CharacterTokenizer", text)
        try:
            return [self._numbers[character] for character in text]
        except KeyError:
            unknown = sorted(set(text) - set(self.characters))
            raise InvalidValue(
                f"CharacterTokenizer: text must consist of its {self.vocab_size} characters, "
                f"got {', '.join(map(repr, unknown[:5]))}. Leave them out, or use bytes."
            ) from None

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token numbers."""
        return "".join(self.characters[i] for i in check_ids(self, ids))

    def describe(self) -> dict[str, Any]:
        """Plain data from which ``rebuild_tokenizer`` makes it again."""
        return {"name": self.name, "characters": self.characters}
