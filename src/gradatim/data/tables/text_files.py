"""Text tables: find encoding and delimiter, then read in chunks of text cells."""

import bz2
import csv
import gzip
import io
import lzma
import re
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import pandas as pd

from gradatim.data.tables.sampled_lines import sample_lines
from gradatim.data.tables.scanning import LONGEST, scan
from gradatim.errors import InvalidValue, Unavailable

DELIMITERS = (",", ";", "\t", "|")
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "?", "<NA>")
_OPEN: dict[str, Callable[..., IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}  # type: ignore[dict-item]
_HEAD = 1 << 16
_BLOCK = 1 << 20


class Layout(NamedTuple):
    """How a text table is written.

    Args:
        encoding: Its encoding.
        delimiter: What separates cells.
        names: Names of the columns.
        end: The byte that ends a line.
        lines: Lines of the file at most.
        bytes: Bytes of it that there is time to read; ``None`` for all.
    """

    encoding: str
    delimiter: str
    names: list[str]
    end: bytes
    lines: int
    bytes: int | None = None


def find_layout(path: Path, notes: list[str], seconds: float | None = None) -> Layout:
    """Find how a file is written, by one look at all of its bytes, or at as many as there is time for.

    Args:
        path: CSV or TSV, possibly compressed with gzip, bzip2 or xz.
        notes: Collects what was done while reading.
        seconds: Time to look.
    """
    with _explained(path):
        with _open(path) as file:
            start = _read_head(file)
        end = b"\r" if b"\r" in start and b"\n" not in start else b"\n"
        is_packed = path.suffix.lower() in _OPEN
        with _open(path) as file:
            found = scan(_blocks(file, _BLOCK), end, owner=path, has_quotes=is_packed, seconds=seconds)  # fmt: skip
        encoding = found.encoding
        if encoding == "cp1252":
            notes.append(f"{path.name} is not UTF-8: it was read as Windows-1252 (cp1252).")
        head = start.decode(encoding, errors="replace")
        if "\0" in head:
            raise InvalidValue(f"{path}: must be a text table, but it holds binary data.")
        if not head.strip():
            raise InvalidValue(f"{path}: must be a table with a header and rows, but it is empty.")
        delimiter = sniff_delimiter(head, path.name)
        most = None if found.is_whole else found.read
        return Layout(encoding, delimiter, _names(head, delimiter, notes), end, found.lines, most)


def _read_head(file: IO[bytes]) -> bytes:
    """The first bytes of a file: as many as are usual, or all of a longer first line."""
    start = file.read(_HEAD)
    while not set(b"\r\n") & set(start.lstrip()) and len(start) < LONGEST and (more := file.read(len(start))):  # fmt: skip
        start += more
    return start


def read_text_chunks(path: Path, rows: int, layout: Layout) -> Iterator[pd.DataFrame]:
    """Yield ``rows`` rows at a time, every cell as text, missing cells as missing."""
    with _explained(path), _open(path) as file, _parser(file, layout, rows) as reader:
        first = True
        for chunk in reader:
            yield _checked(chunk.iloc[1:] if first else chunk, path)
            first = False


def read_text_sample(
    path: Path, limit: int, seed: int, layout: Layout
) -> tuple[pd.DataFrame, int] | None:
    """Read a uniform sample of ``limit`` rows, drawn before anything is parsed.

    Returns:
        The rows, indexed by their place in the file, and how many rows the file has; ``None`` where rows
        cannot be told without parsing.
    """
    if layout.encoding == "utf-16":
        return None
    with _explained(path):
        with _open(path) as file:
            blocks = _blocks(file, 8 * _BLOCK, layout.bytes)
            found = sample_lines(blocks, limit, layout.lines, seed, layout.end)
        if found is None:
            return None
        content = io.BytesIO(b"\n".join(found.lines))
        try:
            with _parser(content, layout, len(found.lines)) as reader:
                frame = next(reader)
        except pd.errors.ParserError as error:
            line = int(m[1]) if (m := re.search(r"in line (\d+)", str(error))) else 1
            raise _too_long(path, int(found.rows[line - 1])) from error
        if len(frame) != len(found.rows):
            return None
        frame = _checked(frame.set_axis(found.rows + 1, axis=0), path)
        return frame.set_axis(found.rows, axis=0), found.total


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn whatever a file can do wrong into one sentence."""
    try:
        yield
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidValue(f"{path}: is damaged: it cannot be unpacked ({error}).") from error
    except pd.errors.ParserError as error:
        raise InvalidValue(f"{path}: {_plain(error)}") from error
    except (csv.Error, UnicodeError) as error:
        raise InvalidValue(f"{path}: cannot be read as a table ({error}).") from error
    except Unavailable:
        raise
    except OSError as error:
        if error.errno is None:  # an unpacker's own, not the system's
            raise InvalidValue(f"{path}: is damaged: it cannot be unpacked ({error}).") from error
        raise Unavailable(f"{path}: cannot be read: {error.strerror}.") from error


def _open(path: Path) -> IO[bytes]:
    return _OPEN.get(path.suffix.lower(), open)(path, "rb")


def _blocks(file: IO[bytes], size: int, most: int | None = None) -> Iterator[bytes]:
    """Blocks of a file, ``most`` bytes in all."""
    left = most
    while block := file.read(size if left is None else min(size, left)):
        left = None if left is None else left - len(block)
        yield block


def sniff_delimiter(head: str, name: str = "") -> str:
    """Return the character that separates the fields of the first lines most consistently.

    Example:
        >>> sniff_delimiter("a;b\\n1,5;2\\n")
        ';'
    """
    if name.lower().split(".")[1:2] in (["tsv"], ["tab"]):
        return "\t"
    plain = re.sub(r'"[^"]*"', "", head)
    lines = [line for line in plain.splitlines() if line.strip()][:20]
    lines = lines[:-1] if len(head) >= _HEAD and len(lines) > 1 else lines

    def consistency(delimiter: str) -> tuple[int, int]:
        counts = [line.count(delimiter) for line in lines]
        same = sum(count == counts[0] for count in counts) if counts[0] else 0
        return same, counts[0]

    return max(DELIMITERS, key=consistency)


def _names(head: str, delimiter: str, notes: list[str]) -> list[str]:
    """Names of the columns, from the first line that is not blank."""
    lines = io.StringIO(head, newline=None)  # any line end
    return distinct_names(next(row for row in csv.reader(lines, delimiter=delimiter) if any(row)), notes)  # fmt: skip


def distinct_names(header: Iterable[str], notes: list[str]) -> list[str]:
    """Names of columns: one without gets its place, a second one of the same name gets a number, which is said.

    Args:
        header: The names as they are written.
        notes: Collects what was done.

    Example:
        >>> distinct_names(["a", "", "a"], [])
        ['a', 'column 2', 'a.1']
    """
    names: dict[str, None] = {}
    for k, cell in enumerate(header):
        name = fresh = cell.strip() or f"column {k + 1}"
        number = 1
        while fresh in names:
            fresh, number = f"{name}.{number}", number + 1
        if fresh != name:
            notes.append(
                f"Two columns are called {name!r}; the later one is called {fresh!r} here."
            )
        names[fresh] = None
    return list(names)


@contextmanager
def _parser(file: IO[bytes], layout: Layout, rows: int) -> Iterator[Iterator[pd.DataFrame]]:
    """A reader of ``rows`` rows at a time, the header among them, every cell as text."""
    with (
        warnings.catch_warnings(),
        pd.read_csv(
            file,
            sep=layout.delimiter,
            encoding=layout.encoding,
            encoding_errors="replace",
            header=None,
            dtype=str,
            keep_default_na=False,
            na_values=list(MISSING),
            skipinitialspace=True,
            chunksize=rows,
            names=[*layout.names, *_SPARE],
            index_col=False,
        ) as reader,
    ):
        warnings.simplefilter("ignore", pd.errors.ParserWarning)
        yield reader


# One column more than the header has: whatever lands there shows a row that is too long.
_SPARE = ("\0spare",)


def _checked(chunk: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Drop the spare column; the index must be the row of the file, the header being 0."""
    spare = chunk[_SPARE[0]]
    if spare.notna().any():
        raise _too_long(path, int(spare.first_valid_index()) - 1)  # type: ignore[arg-type]
    return chunk.drop(columns=_SPARE[0])


def _too_long(path: Path, row: int) -> InvalidValue:
    return InvalidValue(
        f"{path}: has rows of unequal length: row {row + 2} (the header is row 1) has more fields "
        "than the header. Quote fields that hold the delimiter."
    )


def _plain(error: Exception) -> str:
    """What a parser says, in our words."""
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
    if found:
        expected, line, saw = (int(n) for n in found.groups())
        return (
            f"has rows of unequal length: line {line} has {saw} fields, the header has {expected - 1}. "
            "Quote fields that hold the delimiter."
        )
    if found := re.search(r"EOF inside string starting at row (\d+)", str(error)):
        return f"has a quote that is opened in row {int(found[1]) + 1} and never closed. Close or remove it."
    return f"cannot be read as a table ({str(error).strip().splitlines()[-1].rstrip('.')})."
