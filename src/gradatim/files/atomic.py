"""Write a file whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from gradatim.errors import Unavailable


@contextmanager
def or_unavailable(sentence: str) -> Iterator[None]:
    """Turn what the system refuses within into one sentence, with its reason.

    Args:
        sentence: What failed, without a full stop.

    Example:
        >>> with or_unavailable("words.txt: cannot be read"):
        ...     _ = Path(tempfile.mkdtemp(), "words.txt").read_text()
        Traceback (most recent call last):
        ...
        gradatim.errors.Unavailable: words.txt: cannot be read: No such file or directory.
    """
    try:
        yield
    except Unavailable:
        raise
    except OSError as error:
        raise Unavailable(f"{sentence}: {error.strerror or error}.") from error


@contextmanager
def open_atomically(path: str | Path, *, owner: str = "") -> Iterator[BinaryIO]:
    """Open a file to write that takes the place of ``path`` when the block ends well: readers see the old file or the new one.

    Args:
        path: File to write; its folder is made.
        owner: Who writes, to begin messages with.

    Example:
        >>> place = Path(tempfile.mkdtemp()) / "a" / "b.txt"
        >>> with open_atomically(place) as file:
        ...     _ = file.write(b"wh"), place.exists(), file.write(b"ole")
        >>> place.read_bytes()
        b'whole'
    """
    path, beside = Path(path), None
    who = f"{owner}: {path}" if owner else f"{path}:"
    try:
        with or_unavailable(f"{who} cannot be written"):
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                raise OSError("it is a folder")
            handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
            with os.fdopen(handle, "wb") as file:
                yield file
                flush(file)
            os.chmod(beside, 0o666 & ~_umask())
            os.replace(beside, path)
    finally:
        if beside is not None and os.path.exists(beside):
            os.unlink(beside)


def write_atomically(path: str | Path, content: bytes) -> Path:
    """Write beside ``path``, flush to the disk, then rename: readers see the old file or the new one.

    Args:
        path: File to write; its folder is made.
        content: All of it.

    Example:
        >>> write_atomically(Path(tempfile.mkdtemp()) / "a" / "b.txt", b"whole").read_bytes()
        b'whole'
    """
    with open_atomically(path) as file:
        file.write(content)
    return Path(path)


def flush(file: BinaryIO) -> None:
    """Bring what was written to the disk."""
    file.flush()
    os.fsync(file.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
