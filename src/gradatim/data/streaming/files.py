"""The files of a stream, as one long table of which any neighbouring rows can be read."""

import glob
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import pandas as pd

from gradatim.data.streaming.lines import CSVRows, JSONRows, TextRows
from gradatim.data.streaming.parquet import ParquetRows
from gradatim.errors import InvalidValue, Unavailable
from gradatim.files import check_regular

Paths = str | Path | Sequence[str | Path]


class FileRows(Protocol):
    """A file whose rows can be read anywhere."""

    path: Path
    rows: int
    names: list[str]

    def read(self, start: int, stop: int) -> pd.DataFrame: ...

    def take(self, rows: np.ndarray) -> pd.DataFrame: ...


KINDS: dict[str, Callable[..., FileRows]] = {
    ".parquet": ParquetRows,
    ".pq": ParquetRows,
    ".csv": CSVRows,
    ".tsv": CSVRows,
    ".jsonl": JSONRows,
    ".ndjson": JSONRows,
    ".txt": TextRows,
}


def find_files(source: Paths) -> list[Path]:
    """The files that are meant, in the order of their names.

    Args:
        source: A pattern such as ``"big/*.parquet"``, a path, or several of either.
    """
    given = [source] if isinstance(source, str | Path) else list(source)
    found: list[Path] = []
    for each in given:
        text = str(each)
        exact = Path(text).exists()
        matches = [Path(text)] if exact else sorted(map(Path, glob.glob(text, recursive=True)))
        if not matches:
            raise Unavailable(f"stream: {text} must name files, and there are none. Check the path; quote a pattern.")  # fmt: skip
        found += matches
    if not found:
        raise InvalidValue("stream: source must name a file, got none.")
    return found


class AllRows:
    """The rows of several files, one after the other.

    Args:
        source: As in :func:`find_files`.
        as_text: Whether cells of text tables stay texts.
    """

    def __init__(self, source: Paths, *, as_text: bool = False) -> None:
        self.files = [self._open(path, as_text) for path in find_files(source)]
        first = self.files[0]
        for file in self.files[1:]:
            if file.names != first.names:
                differs = sorted(set(file.names) ^ set(first.names)) or file.names
                raise InvalidValue(
                    f"{file.path}: must have the columns of {first.path}, in their order, but {', '.join(differs[:5])} "
                    "differs. Stream files of one kind."
                )
        self.names = first.names
        self.ends = np.cumsum([file.rows for file in self.files])
        self.rows = int(self.ends[-1])
        if not self.rows:
            raise InvalidValue(f"{first.path}: must have rows, got none.")

    @staticmethod
    def _open(path: Path, as_text: bool) -> FileRows:
        kind = KINDS.get(path.suffix.lower())
        if kind is None:
            raise InvalidValue(
                f"{path}: must be a file of {', '.join(KINDS)}, got {path.suffix or 'no ending'!r}. Unpack what is compressed."
            )
        check_regular(path)
        return kind(path, as_text=as_text) if kind is CSVRows else kind(path)

    def read(self, start: int, stop: int) -> pd.DataFrame:
        """Rows ``start`` to ``stop`` of all files together."""
        parts, before = [], 0
        for file, end in zip(self.files, self.ends, strict=True):
            if start < end and stop > before:
                parts.append(file.read(max(start - before, 0), min(stop, int(end)) - before))
            before = int(end)
        return parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True)

    def take(self, rows: np.ndarray) -> pd.DataFrame:
        """Single rows, whose numbers are in order."""
        parts, before = [], 0
        for file, end in zip(self.files, self.ends, strict=True):
            own = rows[np.searchsorted(rows, before) : np.searchsorted(rows, end)]
            if len(own):
                parts.append(file.take(own - before))
            before = int(end)
        return pd.concat(parts, ignore_index=True)

    def chunks(self, rows: int) -> Iterator[pd.DataFrame]:
        """All rows in order, so many at a time."""
        for start in range(0, self.rows, rows):
            yield self.read(start, min(start + rows, self.rows))
