"""A mark in a picture that says who wrote it: only such a picture is replaced."""

import struct
import zlib
from pathlib import Path

MARK = b"written by gradatim"
END_OF_PNG = 12  # bytes of the last part of a PNG, which holds nothing


def sign(picture: bytes, kind: str) -> bytes:
    """Return a picture with our mark near its end, where no viewer shows it.

    Args:
        picture: All of it.
        kind: ``"svg"``, ``"png"`` or ``"pdf"``.

    Example:
        >>> sign(b"<svg/>", "svg")
        b'<svg/><!-- written by gradatim -->\\n'
    """
    if kind != "png":
        return picture + (b"<!-- " + MARK + b" -->\n" if kind == "svg" else b"% " + MARK + b"\n")
    part = b"tEXtComment\0" + MARK
    chunk = struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part))
    return picture[:-END_OF_PNG] + chunk + picture[-END_OF_PNG:]


def is_signed(path: Path) -> bool:
    """Whether a file has our mark near its end.

    Args:
        path: Any file.
    """
    with open(path, "rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 4 * len(MARK)))
        return MARK in file.read()
