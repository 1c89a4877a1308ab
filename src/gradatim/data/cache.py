"""The folder where downloaded sets live, and the one way a file enters it."""

import hashlib
import os
import stat
import sys
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder of downloaded sets: ``GRADATIM_HOME``, else ``gradatim`` in the user's cache.

    The folder need not exist yet.

    Example:
        >>> cache_folder().is_absolute()
        True
    """
    home = os.environ.get("GRADATIM_HOME")
    return Path(home).expanduser().absolute() if home else _user_cache() / "gradatim"


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def has_size(path: Path, size: int) -> bool:
    """Say whether ``path`` is a file of ``size`` bytes: the quick check, before every load."""
    try:
        status = path.stat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size == size


def has_content(path: Path, size: int, sha256: str) -> bool:
    """Say whether ``path`` holds exactly the pinned bytes: the thorough check, in every get."""
    if not has_size(path, size):
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == sha256


def put(content: bytes, target: Path, workshop: Path) -> None:
    """Write ``content`` in ``workshop``, then rename it to ``target``: no reader meets half a file.

    Args:
        content: All bytes of the file.
        target: Final path; a file of that name is replaced.
        workshop: Private folder in the same file system.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = workshop / f"{target.name}.part"
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(target)
