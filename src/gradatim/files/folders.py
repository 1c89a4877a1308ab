"""Write the files of a folder, all or none."""

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from gradatim.files.atomic import flush, or_unavailable


def probe_folder(folder: str | Path) -> Path:
    """Find out, by writing, whether a file can be written into ``folder``; leave nothing behind.

    Args:
        folder: Need not be there.

    Raises:
        OSError: What the system says.

    Example:
        >>> place = Path(tempfile.mkdtemp())
        >>> probe_folder(place / "a" / "b").exists(), list(place.iterdir())
        (False, [])
    """
    folder, made = Path(folder), []
    try:
        for place in reversed([folder, *folder.parents]):
            if not place.is_dir():
                place.mkdir()
                made.append(place)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"0")
            flush(file)
    finally:
        for place in reversed(made):
            with suppress(OSError):  # somebody else has put something there meanwhile
                place.rmdir()
    return folder


def write_files(
    folder: str | Path, files: Mapping[str, bytes], *, is_replaced: bool = False
) -> Path:
    """Write ``files`` into ``folder``: none takes its place before all are on the disk.

    Args:
        folder: Where to write; it is made.
        files: Contents by name.
        is_replaced: Whether the folder is exchanged as a whole and holds nothing else afterwards; else other files stay.

    Example:
        >>> place = write_files(Path(tempfile.mkdtemp()) / "a", {"b.txt": b"b", "c.txt": b"c"})
        >>> write_files(place, {"b.txt": b"B"}) == place, sorted(path.name for path in place.iterdir())
        (True, ['b.txt', 'c.txt'])
        >>> [path.name for path in write_files(place, {"d.txt": b"d"}, is_replaced=True).iterdir()]
        ['d.txt']
    """
    folder = Path(folder)
    home = folder.parent if is_replaced else folder
    with or_unavailable(f"{folder}: cannot be written"):
        home.mkdir(parents=True, exist_ok=True)
        prefix = f".{folder.name}."
        with tempfile.TemporaryDirectory(dir=home, prefix=prefix, ignore_cleanup_errors=True) as at:
            new = Path(at) / "new"
            new.mkdir()
            for name, content in files.items():
                with open(new / name, "wb") as file:
                    file.write(content)
                    flush(file)
            if is_replaced:
                _exchange(folder, new, Path(at) / "old")
            else:
                for name in files:
                    os.replace(new / name, folder / name)
    return folder


def _exchange(folder: Path, new: Path, old: Path) -> None:
    if folder.exists():
        os.replace(folder, old)
    try:
        os.replace(new, folder)
    except OSError:
        if old.exists():
            os.replace(old, folder)
        raise
