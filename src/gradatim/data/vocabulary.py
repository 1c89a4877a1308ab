"""Words or characters as numbers."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from gradatim.errors import InvalidValue

PAD, START, END, UNKNOWN = range(4)
SPECIALS = ("<pad>", "<start>", "<end>", "<unknown>")
_TAG = re.compile(r"<[^<>]{1,20}>")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def split_words(text: str) -> list[str]:
    """Cut a text into lower-case words and numbers; punctuation and mark-up fall away.

    Args:
        text: Any text; ``<br />`` and the like are taken for mark-up.

    Example:
        >>> split_words("It wasn't bad.<br />See it 2 times!")
        ['it', "wasn't", 'bad', 'see', 'it', '2', 'times']
    """
    return _WORD.findall(_TAG.sub(" ", text).lower())


class Vocabulary:
    """A list of tokens, and the way from tokens to their places in it.

    Places 0 to 3 belong to ``<pad>``, ``<start>``, ``<end>`` and ``<unknown>``.

    Args:
        tokens: Distinct words or characters, without the four special ones.

    Example:
        >>> vocabulary = Vocabulary.build(["abba", "cab"])
        >>> vocabulary.tokens
        ('<pad>', '<start>', '<end>', '<unknown>', 'a', 'b', 'c')
        >>> vocabulary.encode("bad", end=True)
        [5, 4, 3, 2]
        >>> vocabulary.decode([1, 6, 4, 5, 2, 0])
        ['c', 'a', 'b']
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens = (*SPECIALS, *tokens)
        self._places = {token: place for place, token in enumerate(self.tokens)}
        if len(self._places) < len(self.tokens):
            twice = next(token for token, count in Counter(self.tokens).items() if count > 1)
            raise InvalidValue(f"Vocabulary: tokens must be distinct, got {twice!r} twice.")

    @classmethod
    def build(
        cls, sequences: Iterable[Iterable[str]], *, max_size: int | None = None, min_count: int = 1
    ) -> "Vocabulary":
        """Collect the tokens of ``sequences``, the most frequent first, ties in alphabetical order.

        Args:
            sequences: Lists of words, or strings, which are sequences of characters.
            max_size: Largest number of tokens, the special ones included.
            min_count: Fewest occurrences of a token that is kept.
        """
        if max_size is not None and max_size <= len(SPECIALS):
            raise InvalidValue(
                f"Vocabulary.build: max_size must be more than {len(SPECIALS)}, the special tokens, "
                f"got {max_size}."
            )
        counts: Counter[str] = Counter()
        for sequence in sequences:
            counts.update(sequence)
        kept = [token for token, count in counts.items() if count >= min_count]
        kept.sort(key=lambda token: (-counts[token], token))
        return cls(kept if max_size is None else kept[: max_size - len(SPECIALS)])

    def __len__(self) -> int:
        return len(self.tokens)

    def __contains__(self, token: str) -> bool:
        return token in self._places

    def encode(self, tokens: Iterable[str], *, end: bool = False) -> list[int]:
        """Places of the tokens; ``<end>`` follows on request, strangers are ``<unknown>``."""
        get = self._places.get
        return [get(token, UNKNOWN) for token in tokens] + ([END] if end else [])

    def decode(self, places: Sequence[int]) -> list[str]:
        """Tokens at ``places`` up to the first ``<end>``, without ``<pad>`` and ``<start>``."""
        places = [int(place) for place in places]
        stop = places.index(END) if END in places else len(places)
        return [self.tokens[place] for place in places[:stop] if place not in (PAD, START)]
