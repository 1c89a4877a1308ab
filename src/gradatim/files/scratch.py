"""Files and folders that only their writer needs: locked while it lives, swept once it is gone.

The lock is the system's and dies with the process, however that ends.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gradatim.files.paths import short_name

try:
    import fcntl
except ImportError:  # Windows has no such locks: nothing is swept there, nobody waits
    fcntl = None  # type: ignore[assignment]

MARK = ".gradatim-"


def lock(handle: int) -> bool | None:
    """Take the lock of an open file or folder, without waiting.

    Args:
        handle: It is let go when this is closed, or the process ends.

    Returns:
        Whether it is ours now; ``None`` where the system has no locks.
    """
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def prefix_of(name: str) -> str:
    """How the names of scratch begin that belongs to a file or folder of this name.

    Example:
        >>> prefix_of("model")
        '.model.gradatim-'
    """
    return f".{short_name(name)}{MARK}"


@contextmanager
def scratch_file(home: Path, name: str) -> Iterator[tuple[int, Path]]:
    """Make a file beside one called ``name``; it is gone when the block ends, unless it was renamed.

    Args:
        home: The folder.
        name: What will take its place.
    """
    while True:
        handle, made = tempfile.mkstemp(dir=home, prefix=prefix_of(name))
        lock(handle)
        if os.path.exists(made):  # else a sweeper came between making and locking
            break
        os.close(handle)
    try:
        yield handle, Path(made)
    finally:
        with suppress(OSError):
            os.close(handle)
        with suppress(FileNotFoundError):
            os.unlink(made)


@contextmanager
def scratch_folder(home: Path, name: str) -> Iterator[Path]:
    """Make a folder beside one called ``name``; it is gone when the block ends.

    Args:
        home: Where.
        name: What it is for.

    Example:
        >>> with scratch_folder(Path(tempfile.mkdtemp()), "model") as place:
        ...     place.is_dir(), place.name[:16]
        (True, '.model.gradatim-')
        >>> place.exists()
        False
    """
    while True:
        place = Path(tempfile.mkdtemp(dir=home, prefix=prefix_of(name)))
        with suppress(FileNotFoundError):  # a sweeper came between making and locking
            handle = os.open(place, os.O_RDONLY)
            lock(handle)
            if place.exists():
                break
            os.close(handle)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        os.close(handle)


def abandoned(home: Path, name: str) -> Iterator[Path]:
    """Yield scratch of ``name`` in ``home`` whose writer is gone, each under lock; what cannot be looked at is let be.

    Args:
        home: The folder.
        name: What the scratch belongs to.
    """
    begin = prefix_of(name)
    with suppress(OSError):
        for found in [entry.path for entry in os.scandir(home) if entry.name.startswith(begin)]:
            with suppress(OSError):
                handle = os.open(found, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
                try:
                    if lock(handle):
                        yield Path(found)
                finally:
                    os.close(handle)


def sweep(home: Path, name: str) -> None:
    """Remove scratch of ``name`` in ``home`` that killed writers left.

    Args:
        home: The folder.
        name: What the scratch belongs to.
    """
    for place in abandoned(home, name):
        remove(place)


def remove(place: Path) -> None:
    """Remove a file, or a folder with all it holds.

    Args:
        place: It need not be there.
    """
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place, ignore_errors=True)
    else:
        with suppress(OSError):
            place.unlink()
