"""Files of published vocabularies."""

from pathlib import Path

from gradatim.data.entries import find, require_cached
from gradatim.errors import Unavailable


def published_file(name: str, file: str) -> Path:
    """Where a file of the data set ``name`` lies in the cache, or how to get it there.

    Args:
        name: A vocabulary of the catalogue.
        file: One of its files.
    """
    require_cached("published", name)
    return find("published", name).path(file)


def read_vocabulary_file(owner: str, path: str | Path) -> str:
    """Return a file's text, or say why there is none.

    Args:
        owner: Who asks, for the message.
        path: A UTF-8 text.
    """
    try:
        return Path(path).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no UTF-8 text"
        raise Unavailable(f"{owner}: '{path}' cannot be read ({reason}).") from None
