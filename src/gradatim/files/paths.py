"""Paths that users name, before anything is read or written there."""

import os
from pathlib import Path

from gradatim.errors import InvalidType, InvalidValue, Unavailable

LONGEST = (
    200  # bytes of a name, so that those of helping files beside it stay below the system's 255
)


def check_path(path: str | Path, *, fault: str = "cannot be read") -> None:
    """Refuse a path that the system cannot look at: too long, a link in a circle, a locked folder; nothing may lie there.

    Args:
        path: The path.
        fault: What cannot be done, for the message.

    Example:
        >>> check_path("n" * 300)
        Traceback (most recent call last):
        ...
        gradatim.errors.Unavailable: nnn...: cannot be read: File name too long.
    """
    if not isinstance(path, str | os.PathLike):
        raise InvalidType(f"gradatim: a path must be a text, got a {type(path).__name__}.")
    if not str(path):
        raise InvalidValue("gradatim: a path must name a file or a folder, got an empty name.")
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise Unavailable(f"{path}: {fault}: {error.strerror or error}.") from error
    except ValueError as error:  # a NUL within
        raise InvalidValue(f"{str(path)!r}: {fault}: {error}.") from error


def short_name(name: str, longest: int = LONGEST) -> str:
    """The beginning of a name, where it is too long for a file beside which others will lie.

    Args:
        name: The name.
        longest: Most bytes to keep.

    Example:
        >>> short_name("größe", 4), short_name("a")
        ('grö', 'a')
    """
    return os.fsencode(name)[:longest].decode(errors="ignore")
