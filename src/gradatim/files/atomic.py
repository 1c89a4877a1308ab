"""Write a file whole or not at all."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from gradatim.errors import GradatimError, Unavailable
from gradatim.files.outputs import check_output
from gradatim.files.scratch import scratch_file, sweep


@contextmanager
def or_unavailable(sentence: str) -> Iterator[None]:
    """Turn what the system refuses within into one sentence, with its reason.

    Args:
        sentence: What failed, without a full stop.

    Example:
        >>> import tempfile
        >>> with or_unavailable("words.txt: cannot be read"):
        ...     _ = Path(tempfile.mkdtemp(), "words.txt").read_text()
        Traceback (most recent call last):
        ...
        gradatim.errors.Unavailable: words.txt: cannot be read: No such file or directory.
    """
    try:
        yield
    except GradatimError:
        raise
    except OSError as error:
        raise Unavailable(f"{sentence}: {error.strerror or error}.") from error


@contextmanager
def open_atomically(
    path: str | Path,
    *,
    owner: str = "",
    inputs: Iterable[str | Path] = (),
    is_ours: Callable[[Path], bool] | None = None,
) -> Iterator[BinaryIO]:
    """Open a file to write that takes the place of ``path`` when the block ends well: readers see the old file or the new one.

    Args:
        path: File to write; its folder is made, a link is followed.
        owner: Who writes, to begin messages with; given for outputs of users, beside which scratch of killed runs is swept.
        inputs: Files that are read, and must not be replaced.
        is_ours: As in :func:`~gradatim.files.check_output`.

    Example:
        >>> import tempfile
        >>> place = Path(tempfile.mkdtemp()) / "a" / "b.txt"
        >>> with open_atomically(place) as file:
        ...     _ = file.write(b"wh"), place.exists(), file.write(b"ole")
        >>> place.read_bytes()
        b'whole'
    """
    argument = f"{owner}: output" if owner else ""
    real = check_output(path, argument, inputs=inputs, is_ours=is_ours)
    who = f"{owner}: {path}" if owner else f"{path}:"
    with or_unavailable(f"{who} cannot be written"):
        real.parent.mkdir(parents=True, exist_ok=True)
        if owner:
            sweep(real.parent, real.name)
        with scratch_file(real.parent, real.name) as (handle, beside):
            with os.fdopen(handle, "wb", closefd=False) as file:
                yield file
                flush(file)
            os.chmod(beside, real.stat().st_mode if real.exists() else 0o666 & ~_umask())
            os.replace(beside, real)


def write_atomically(path: str | Path, content: bytes) -> Path:
    """Write beside ``path``, flush to the disk, then rename: readers see the old file or the new one.

    Args:
        path: File to write; its folder is made, a link is followed.
        content: All of it.

    Example:
        >>> import tempfile
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
