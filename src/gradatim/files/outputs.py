"""The law of outputs: what is written never costs the user a file.

An output is refused where it is what is read, where it is no regular file, where it is read-only, and where something
lies there that we did not write. A link is followed.
"""

import json
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from gradatim.errors import OutputRefused, Unavailable

LONGEST_LINE = 1 << 20  # bytes
LARGEST_DOCUMENT = 1 << 28


def check_output(
    path: str | Path,
    argument: str,
    *,
    inputs: Iterable[str | Path] = (),
    is_ours: Callable[[Path], bool] | None = None,
) -> Path:
    """Return where to write: a new file, or one that may be replaced, behind all links.

    Args:
        path: What the user named.
        argument: Who asks and what for, such as ``"predict: output"``, for the message; may be empty.
        inputs: Files that are read, and must not be replaced.
        is_ours: Whether we wrote the file that lies there; where it is not given, this is not asked. An empty file is free.

    Example:
        >>> check_output("/dev/null", "predict: output")
        Traceback (most recent call last):
        ...
        gradatim.errors.OutputRefused: predict: output must be a regular file, got '/dev/null'. Choose another name.
    """
    got, subject = repr(str(path)), argument or f"{path}:"
    try:
        real = Path(os.path.realpath(path))
        found = os.stat(path)
    except FileNotFoundError:
        if os.path.islink(path):
            refuse(f"{subject} must not be a link to nothing", got)
        return real
    except (OSError, ValueError) as error:  # a NUL within
        raise unwritable(path, argument, getattr(error, "strerror", "") or str(error)) from error
    if stat.S_ISDIR(found.st_mode):
        raise unwritable(path, argument, "it is a folder")
    if not stat.S_ISREG(found.st_mode):
        refuse(f"{subject} must be a regular file", got)
    if any(_is_same(found, each) for each in inputs):
        refuse(f"{subject} must not be what is read", got)
    if not found.st_mode & 0o222 or not os.access(real, os.W_OK):
        raise unwritable(path, argument, "it is read-only")
    if is_ours is not None and found.st_size and not is_ours(real):
        refuse(f"{subject} must be new, or written by the same command before", got)
    return real


def refuse(rule: str, got: str) -> None:
    """Raise :class:`OutputRefused` in the house's words.

    Args:
        rule: What must be.
        got: What was given.
    """
    raise OutputRefused(f"{rule}, got {got}. Choose another name.")


def unwritable(path: str | Path, argument: str, reason: str) -> Unavailable:
    """Say in a sentence that the system does not let us write.

    Args:
        path: The file or folder.
        argument: Who asks and what for, of which only who is said; may be empty.
        reason: In words.
    """
    owner = argument.partition(":")[0]
    who = f"{owner}: {path}" if owner else f"{path}:"
    return Unavailable(f"{who} cannot be written: {reason}.")


def _is_same(found: os.stat_result, other: str | Path) -> bool:
    try:
        return os.path.samestat(found, os.stat(other))
    except (OSError, ValueError):
        return False


def own_document(path: str | Path) -> dict[str, Any] | None:
    """Read a JSON document that says which version of Gradatim wrote it; ``None`` for any other file, or none.

    Args:
        path: Such as the ``model.json`` or the ``report.json`` of a folder.
    """
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST_DOCUMENT:
            return None
        document = json.loads(Path(path).read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    versions = document.get("versions") if isinstance(document, dict) else None
    return document if isinstance(versions, dict) and "gradatim" in versions else None


def report_files(folder: str | Path) -> list[str]:
    """Names of the files of the report that we wrote into a folder, if any.

    Args:
        folder: Any.
    """
    document = own_document(Path(folder) / "report.json")
    if document is None:
        return []
    listed = document.get("figures")
    figures = [str(each.get("file")) for each in listed or [] if isinstance(each, dict)]
    return ["report.html", "report.json", *filter(is_plain, figures)]


def is_plain(name: object) -> bool:
    """Whether a name from a document stays within its folder.

    Args:
        name: Anything.

    Example:
        >>> is_plain("a.txt"), is_plain("../a.txt"), is_plain("..")
        (True, False, False)
    """
    return isinstance(name, str) and name == os.path.basename(name) and name not in ("", ".", "..")


def is_inside(name: object) -> bool:
    """Whether a path from a document, with ``/`` between folders, stays within its folder.

    Args:
        name: Anything.

    Example:
        >>> is_inside("a/b.txt"), is_inside("a/../../b.txt"), is_inside("/etc")
        (True, False, False)
    """
    return isinstance(name, str) and all(is_plain(part) for part in name.split("/"))


def is_result(folder: str | Path) -> bool:
    """Whether we wrote a folder, as a model or a report: it is never read as data.

    Args:
        folder: Any.
    """
    return any(own_document(Path(folder) / name) for name in ("model.json", "report.json"))


def first_line(path: Path) -> bytes:
    """Return the first line of a file, of which only the beginning is read, without its end.

    Args:
        path: The file.
    """
    with open(path, "rb") as file:
        return file.readline(LONGEST_LINE).rstrip(b"\r\n")
