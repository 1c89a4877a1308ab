"""The ``tokenizers`` package, which merges and matches fast; imported only when needed."""

from importlib import import_module
from typing import Any

from gradatim.errors import Unavailable


def load_engine(owner: str) -> Any:
    """Import the package, or say how to get it.

    >>> load_engine("BytePairTokenizer").__name__
    'tokenizers'
    """
    try:
        return import_module("tokenizers")
    except ImportError:
        raise Unavailable(
            f"{owner}: subword tokens need the package tokenizers. Try: pip install 'gradatim[text]'."
        ) from None
