"""One look at the bytes of a text table, in bounded memory and time, before anything is parsed."""

import codecs
import time
from collections.abc import Iterable
from typing import NamedTuple

from gradatim.errors import InvalidValue

LONGEST = 1 << 27  # bytes of a line, or of a quoted cell of a compressed file


class Scan(NamedTuple):
    """What the bytes of a text table tell.

    Args:
        encoding: UTF-8 if every byte agrees, UTF-16 by its mark, else Windows-1252.
        lines: Lines at most; none are counted in UTF-16.
        read: Bytes that were looked at, up to the end of a line.
        is_whole: Whether these are all.
    """

    encoding: str
    lines: int
    read: int
    is_whole: bool


def scan(
    blocks: Iterable[bytes], end: bytes, *, owner: object, has_quotes: bool, seconds: float | None
) -> Scan:
    r"""Find encoding and number of lines; refuse a line without end, stop where time is up.

    Args:
        blocks: The bytes of the file, in order.
        end: The byte that ends a line.
        owner: Whose bytes these are, for the message.
        has_quotes: Whether quoted cells must end too: a small compressed file can hold one that fills all memory.
        seconds: Time to look; all bytes are looked at for ``None``.

    Example:
        >>> scan([b"a,b\n1,2\n"], b"\n", owner="t.csv", has_quotes=False, seconds=None)
        Scan(encoding='utf-8', lines=3, read=8, is_whole=True)
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines, read, marked, is_utf8, is_whole = 1, 0, "", True, True
    stretches = [_Stretch(end, owner), *([_Stretch(b'"', owner)] if has_quotes else [])]
    until = None if seconds is None else time.monotonic() + seconds
    for block in blocks:
        marked = marked or (_mark(block) if read == 0 else "")
        read += len(block)
        lines += block.count(end)
        for stretch in stretches:
            stretch.look(block)
        if is_utf8 and not (block.isascii() and not decoder.getstate()[0]):
            is_utf8 = _decodes(decoder, block)
        if until is not None and time.monotonic() > until:
            is_whole, read = False, read - stretches[0].length
            break
    if marked == "utf-16":
        return Scan(marked, 0, read, is_whole)
    if is_utf8 and _decodes(decoder, b"", final=is_whole):
        return Scan(marked or "utf-8", lines, read, is_whole)
    return Scan("cp1252", lines, read, is_whole)


def _mark(block: bytes) -> str:
    """The encoding that the mark at the beginning of a file tells."""
    if block[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "utf-16"
    return "utf-8-sig" if block.startswith(codecs.BOM_UTF8) else ""


def _decodes(decoder: codecs.IncrementalDecoder, block: bytes, final: bool = False) -> bool:
    try:
        decoder.decode(block, final)
    except UnicodeDecodeError:
        return False
    return True


class _Stretch:
    """Bytes since the last line end, or since a quote that was opened."""

    def __init__(self, mark: bytes, owner: object) -> None:
        self.mark, self.owner = mark, owner
        self.length, self.is_open = 0, mark != b'"'

    def look(self, block: bytes) -> None:
        last = block.rfind(self.mark)
        self.length = self.length + len(block) if last < 0 else len(block) - last - 1
        if self.mark == b'"':
            self.is_open ^= bool(block.count(self.mark) % 2)
        if self.is_open and self.length > LONGEST:
            what = "a quoted cell" if self.mark == b'"' else "a line"
            raise InvalidValue(
                f"{self.owner}: must be a table, but it has {what} of more than {LONGEST >> 20} MB. Check the file."
            )
