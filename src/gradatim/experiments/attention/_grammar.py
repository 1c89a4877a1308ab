"""Which lines the grammar of :mod:`~gradatim.experiments._characters` can produce."""

import re

from gradatim.experiments._characters import NOUNS, VERBS, WHERE

_NOUN = f"(?:{'|'.join(NOUNS)})"
_SENTENCE = re.compile(rf"the {_NOUN} (?:{'|'.join(VERBS)}) the {_NOUN} (?:{'|'.join(WHERE)})\.")
START = "the "  # how every sentence begins


def is_sentence(line: str) -> bool:
    """Whether a line is a sentence of the grammar.

    >>> is_sentence("the king fears the fool by the sea."), is_sentence("the king the sea.")
    (True, False)
    """
    return _SENTENCE.fullmatch(line) is not None
