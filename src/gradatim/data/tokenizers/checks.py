"""What every tokenizer refuses, in one place."""

from collections.abc import Sequence
from typing import Any

from gradatim.errors import InvalidType, InvalidValue


def check_text(owner: str, text: object) -> bytes:
    """Return a text's UTF-8 bytes, or say why it has none.

    >>> check_text("ByteTokenizer", "é")
    b'\\xc3\\xa9'
    """
    if not isinstance(text, str):
        raise InvalidType(f"{owner}: text must be a string, got {type(text).__name__}.")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidValue(
            f"{owner}: text must be Unicode, got half a surrogate pair at place {error.start}. "
            "Read the file with the right encoding."
        ) from None


def check_ids(tokenizer: Any, ids: Sequence[int]) -> list[int]:
    """Return token numbers as a list, or say which one does not exist.

    >>> class Two:
    ...     vocab_size = 2
    >>> check_ids(Two(), (0, 1))
    [0, 1]
    """
    numbers = [int(i) for i in ids]
    wrong = next((i for i in numbers if not 0 <= i < tokenizer.vocab_size), None)
    if wrong is not None:
        raise InvalidValue(
            f"{type(tokenizer).__name__}: ids must be from 0 to {tokenizer.vocab_size - 1}, got {wrong}."
        )
    return numbers
