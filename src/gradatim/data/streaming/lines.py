"""Rows of text files, which are lines: one look at the bytes notes where every so manieth begins."""

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.data.tables.text_files import MISSING, distinct_names, sniff_delimiter
from gradatim.errors import InvalidValue, Unavailable

STEP = 1024  # rows between two places that are noted
_BLOCK = 1 << 22
_HEAD = 1 << 16


class LineRows(ABC):
    """A file whose rows are lines.

    Args:
        path: The file.
        has_quotes: Whether a line may end inside of quotes without ending its row.
        skip: Lines before the first row.
    """

    names: list[str]

    def __init__(self, path: Path, *, has_quotes: bool = False, skip: int = 0) -> None:
        self.path = path
        try:
            self._starts, self.rows = self._look(has_quotes, skip)
        except OSError as error:
            raise Unavailable(f"{path}: cannot be read: {error.strerror}.") from error

    def _look(self, has_quotes: bool, skip: int) -> tuple[list[int], int]:
        """Where rows 0, STEP, 2 STEP, … begin, and the last ends; and how many rows there are."""
        starts: list[int] = []
        number, end = -skip, 0
        for start, stop in _bounds(self.path, has_quotes):
            if number >= 0 and number % STEP == 0:
                starts.append(start)
            number, end = number + 1, stop
        return [*starts, end], max(number, 0)

    def _bytes(self, start: int, stop: int) -> tuple[bytes, int]:
        """Bytes that hold rows ``start`` to ``stop``, and how many rows stand in them before."""
        first, last = start // STEP, min(-(-stop // STEP), len(self._starts) - 1)
        with self.path.open("rb") as file:
            file.seek(self._starts[first])
            return file.read(self._starts[last] - self._starts[first]), start - first * STEP

    @abstractmethod
    def read(self, start: int, stop: int) -> pd.DataFrame:
        """Rows ``start`` to ``stop``."""

    def take(self, rows: np.ndarray) -> pd.DataFrame:
        """Single rows, whose numbers are in order."""
        blocks = np.split(rows, np.flatnonzero(np.diff(rows // STEP)) + 1)
        parts = []
        for own in blocks:
            start = int(own[0]) // STEP * STEP
            parts.append(self.read(start, min(start + STEP, self.rows)).iloc[own - start])
        return pd.concat(parts, ignore_index=True)

    def _text(self, start: int, stop: int) -> tuple[str, int]:
        content, before = self._bytes(start, stop)
        try:
            return content.decode("utf-8-sig" if start < STEP else "utf-8"), before
        except UnicodeDecodeError as error:
            raise InvalidValue(f"{self.path}: must be UTF-8 to be streamed, and is not ({error.reason}).") from error  # fmt: skip


def _bounds(path: Path, has_quotes: bool) -> Iterator[tuple[int, int]]:
    """First byte of every line that is not blank, and the byte after its end."""
    start = place = 0
    quotes = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            found = -1
            while (next_end := block.find(b"\n", found + 1)) >= 0:
                end = place + next_end + 1
                quotes += block.count(b'"', found + 1, next_end) if has_quotes else 0
                if quotes % 2 == 0:
                    is_blank = (
                        end - start <= 2 and not block[max(start - place, 0) : next_end].strip()
                    )
                    if not is_blank:
                        yield start, end
                    start, quotes = end, 0
                found = next_end
            quotes += block.count(b'"', found + 1) if has_quotes else 0
            place += len(block)
    if start < place:
        yield start, place


class TextRows(LineRows):
    """A text, every line a row of one column, ``text``."""

    def __init__(self, path: Path) -> None:
        self.names = ["text"]
        super().__init__(path)

    def read(self, start: int, stop: int) -> pd.DataFrame:
        """Rows ``start`` to ``stop``."""
        text, before = self._text(start, stop)
        lines = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
        return pd.DataFrame({"text": lines[before : before + stop - start]})


class JSONRows(LineRows):
    """A file with one JSON object per line."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.names = list(self._parse(0, min(self.rows, STEP)).columns) if self.rows else []

    def _parse(self, start: int, stop: int) -> pd.DataFrame:
        text, before = self._text(start, stop)
        lines = [line for line in text.split("\n") if line.strip()][before : before + stop - start]
        try:
            return pd.DataFrame(json.loads(f"[{','.join(lines)}]"))
        except (ValueError, TypeError, AttributeError) as error:
            raise InvalidValue(
                f"{self.path}: must hold one JSON object per line ({error})."
            ) from error

    def read(self, start: int, stop: int) -> pd.DataFrame:
        """Rows ``start`` to ``stop``."""
        return self._parse(start, stop).reindex(columns=self.names)


class CSVRows(LineRows):
    """A table of text cells under a header.

    Args:
        path: The file.
        as_text: Whether cells stay texts.
    """

    def __init__(self, path: Path, *, as_text: bool = False) -> None:
        self.as_text = as_text
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD).decode("utf-8-sig", errors="replace")
        except OSError as error:
            raise Unavailable(f"{path}: cannot be read: {error.strerror}.") from error
        if not head.strip():
            raise InvalidValue(f"{path}: must be a table with a header and rows, but it is empty.")
        self.delimiter = sniff_delimiter(head, path.name)
        header = pd.read_csv(io.StringIO(head), sep=self.delimiter, header=None, nrows=1, dtype=str)
        self.names = distinct_names([str(cell) for cell in header.iloc[0].fillna("")], [])
        super().__init__(path, has_quotes=True, skip=1)

    def read(self, start: int, stop: int) -> pd.DataFrame:
        """Rows ``start`` to ``stop``."""
        text, before = self._text(start, stop)
        try:
            frame = pd.read_csv(
                io.StringIO(text), sep=self.delimiter, header=None, names=self.names, index_col=False,
                na_values=list(MISSING), keep_default_na=False, low_memory=False, dtype=str if self.as_text else None,
                skipinitialspace=self.as_text,
            )  # fmt: skip
        except (pd.errors.ParserError, ValueError) as error:
            reason = str(error).strip().splitlines()[-1]
            raise InvalidValue(f"{self.path}: cannot be read near row {start + 2:,} ({reason}).") from error  # fmt: skip
        return frame.iloc[before : before + stop - start]
