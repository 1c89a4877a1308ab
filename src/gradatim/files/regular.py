"""Only regular files are read: a pipe can be read once and a device never ends."""

import stat
from pathlib import Path

from gradatim.errors import InvalidValue, Unavailable

_KINDS = {
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


def check_regular(path: Path) -> None:
    """Refuse, in a sentence, what is not a regular file; links are followed.

    Args:
        path: What is to be read.

    Example:
        >>> check_regular(Path("/dev/null"))
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: /dev/null: must be a file, and is a device. Save the data to a file first.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise Unavailable(f"{path}: there is no such file. Check the path.") from None
    except OSError as error:
        raise Unavailable(f"{path}: cannot be read: {error.strerror}.") from error
    if stat.S_ISREG(mode):
        return
    kind = _KINDS.get(stat.S_IFMT(mode), "special file")
    remedy = "Name a file in it" if kind == "folder" else "Save the data to a file first"
    raise InvalidValue(f"{path}: must be a file, and is a {kind}. {remedy}.")
