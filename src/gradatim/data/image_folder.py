"""Find the image files of a folder, one subfolder per class."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from gradatim.errors import InvalidValue
from gradatim.files import is_result, or_unavailable
from gradatim.wording import numbered

ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")
MIN_OF_CLASS = 5
K = TypeVar("K")
V = TypeVar("V")


def find_images(
    folder: Path, root: Path | None = None, *, outside: list[Path] | None = None
) -> list[Path]:
    """All image files below a folder, in order; links are followed, but never round in circles, or listed if they lead nowhere.

    Models and reports that we wrote there are no data.

    Args:
        folder: Where to look.
        root: A folder above it, into which no link may lead back.
        outside: Collects links that lead out of the folder, which are then not followed.
    """
    seen = set() if root is None else {os.path.realpath(root)}
    home = None if outside is None else _real(folder)
    found = _walk(folder, seen, home, [] if outside is None else outside)
    return sorted(found)


def _walk(folder: Path, seen: set[str], home: str | None, outside: list[Path]) -> Iterator[Path]:
    real = os.path.realpath(folder)
    if real in seen or is_result(folder):
        return
    seen.add(real)
    with or_unavailable(f"{folder}: cannot be read"):
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    for entry in entries:
        is_image, is_broken = entry.name.lower().endswith(ENDINGS), _leads_nowhere(entry)
        if entry.name.startswith(".") or (is_broken and not is_image):
            continue
        if home is not None and entry.is_symlink() and not _real(entry.path).startswith(home):
            outside.append(Path(entry.path))
        elif is_broken:
            yield Path(entry.path)  # so that it is said
        elif entry.is_dir():
            yield from _walk(Path(entry.path), seen, home, outside)
        elif entry.is_file() and is_image:
            yield Path(entry.path)


def _real(path: str | Path) -> str:
    """Where a path really lies, with a slash behind it: what lies below begins with it."""
    return os.path.join(os.path.realpath(path), "")


def _leads_nowhere(entry: os.DirEntry[str]) -> bool:
    return entry.is_symlink() and not os.path.exists(entry.path)


def find_classes(folder: Path, notes: list[str]) -> dict[str, list[Path]]:
    """Image files by class: the name of the subfolder they lie in.

    Args:
        folder: A folder with one subfolder per class.
        notes: Collects what was left out.
    """
    found = list_classes(folder)
    loose = [p for p in find_images(folder) if p.parent == folder]
    if not found:
        lie = "lies" if len(loose) == 1 else "lie"
        where = (
            f"{numbered(len(loose), 'images')} {lie} in it directly"
            if loose
            else "there are none below it"
        )
        raise InvalidValue(
            f"fit: {str(folder)!r} must hold images (PNG, JPEG) in one subfolder per class; {where}."
        )
    if loose:
        have, are = ("has", "is") if len(loose) == 1 else ("have", "are")
        notes.append(f"{numbered(len(loose), 'images')} outside the subfolders {have} no class and {are} left out.")  # fmt: skip
    return drop_small(found, notes, str(folder))


def list_classes(folder: Path) -> dict[str, list[Path]]:
    """Image files of every subfolder that has some, by its name."""
    with or_unavailable(f"{folder}: cannot be read"):
        below = [e for e in sorted(folder.iterdir()) if e.is_dir() and not e.name.startswith(".")]
    found = {entry.name: find_images(entry, folder) for entry in below}
    return {name: files for name, files in found.items() if files}


def drop_small(found: dict[K, list[V]], notes: list[str], folder: str) -> dict[K, list[V]]:
    """Leave out classes that are too small to be learned and judged; refuse fewer than two."""
    kept = {name: files for name, files in found.items() if len(files) >= MIN_OF_CLASS}
    notes += [
        f"Class {name!r} has only {len(files)} image{'s' if len(files) > 1 else ''} and is left out."
        for name, files in found.items()
        if name not in kept
    ]
    if len(kept) < 2:
        sizes = ", ".join(f"{name!r} {len(files)}" for name, files in list(found.items())[:5])
        raise InvalidValue(
            f"fit: {folder!r} must have two subfolders with {MIN_OF_CLASS} images or more each, got {sizes}."
        )
    return kept
