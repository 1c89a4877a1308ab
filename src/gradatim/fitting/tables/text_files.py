"""Text tables: find encoding and delimiter, then read in chunks of text cells."""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pandas as pd

from gradatim.errors import InvalidValue, Unavailable

DELIMITERS = (",", ";", "\t", "|")
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "#N/A", "?", "<NA>")
_OPEN: dict[str, Callable[..., IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}  # type: ignore[dict-item]
_HEAD = 1 << 16
_BLOCK = 1 << 20


def read_text_chunks(path: Path, rows: int, notes: list[str]) -> Iterator[pd.DataFrame]:
    """Yield ``rows`` rows at a time, every cell as text, missing cells as missing.

    Args:
        path: CSV or TSV, possibly compressed with gzip, bzip2 or xz.
        rows: Rows per chunk.
        notes: Collects what was done while reading.
    """
    try:
        encoding = _encoding(path, notes)
        with _open(path) as file:
            head = file.read(_HEAD).decode(encoding, errors="replace")
        if "\0" in head:
            raise InvalidValue(f"{path}: must be a text table, but it holds binary data.")
        if not head.strip():
            raise InvalidValue(f"{path}: must be a table with a header and rows, but it is empty.")
        delimiter = sniff_delimiter(head, path.name)
        names = _names(head, delimiter, notes)
        yield from _chunks(path, encoding, delimiter, names, rows)
    except (EOFError, lzma.LZMAError, zlib.error, gzip.BadGzipFile) as error:
        raise InvalidValue(f"{path}: is damaged: it cannot be unpacked ({error}).") from error
    except OSError as error:
        if isinstance(error, Unavailable):
            raise
        raise Unavailable(f"{path}: cannot be read: {error.strerror or error}.") from error


def _open(path: Path) -> IO[bytes]:
    return _OPEN.get(path.suffix.lower(), open)(path, "rb")


def _encoding(path: Path, notes: list[str]) -> str:
    """UTF-8 if every byte agrees, UTF-16 by its mark, else Windows-1252, which is said."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    with _open(path) as file:
        block = file.read(_BLOCK)
        if block[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "utf-16"
        marked = block.startswith(codecs.BOM_UTF8)
        try:
            while block:
                decoder.decode(block)
                block = file.read(_BLOCK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            notes.append(f"{path.name} is not UTF-8: it was read as Windows-1252 (cp1252).")
            return "cp1252"
    return "utf-8-sig" if marked else "utf-8"


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
    """Names of the columns; a second column of the same name gets a number, which is said."""
    header = next(row for row in csv.reader(io.StringIO(head), delimiter=delimiter) if any(row))
    names: list[str] = []
    for k, cell in enumerate(header):
        name = fresh = cell.strip() or f"column {k + 1}"
        number = 1
        while fresh in names:
            fresh, number = f"{name}.{number}", number + 1
        if fresh != name:
            notes.append(
                f"Two columns are called {name!r}; the later one is called {fresh!r} here."
            )
        names.append(fresh)
    return names


def _chunks(
    path: Path, encoding: str, delimiter: str, names: list[str], rows: int
) -> Iterator[pd.DataFrame]:
    try:
        with (
            warnings.catch_warnings(),
            _open(path) as file,
            pd.read_csv(
                file,
                sep=delimiter,
                encoding=encoding,
                encoding_errors="replace",
                header=None,
                dtype=str,
                keep_default_na=False,
                na_values=list(MISSING),
                skipinitialspace=True,
                chunksize=rows,
                names=[*names, *_SPARE],
                index_col=False,
            ) as reader,
        ):
            warnings.simplefilter("ignore", pd.errors.ParserWarning)
            first = True
            for chunk in reader:
                yield _checked(chunk.iloc[1:] if first else chunk, path, first)
                first = False
    except pd.errors.ParserError as error:
        raise InvalidValue(f"{path}: has rows of unequal length: {_plain(error)}") from error
    except (csv.Error, UnicodeError) as error:
        raise InvalidValue(f"{path}: cannot be read as a table ({error}).") from error


# One column more than the header has: whatever lands there shows a row that is too long.
_SPARE = ("\0spare",)


def _checked(chunk: pd.DataFrame, path: Path, first: bool) -> pd.DataFrame:
    spare = chunk[_SPARE[0]]
    if spare.notna().any():
        line = int(spare.first_valid_index()) + 1  # type: ignore[arg-type]
        raise InvalidValue(
            f"{path}: has rows of unequal length: row {line} (the header is row 1) has more fields "
            "than the header. Quote fields that hold the delimiter."
        )
    return chunk.drop(columns=_SPARE[0])


def _plain(error: Exception) -> str:
    found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
    if not found:
        return str(error).strip().splitlines()[-1].rstrip(".") + "."
    expected, line, saw = (int(n) for n in found.groups())
    return f"line {line} has {saw} fields, the header has {expected - 1}. Quote fields that hold the delimiter."
