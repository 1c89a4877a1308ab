"""Read a table: a text file, a Parquet file, a built-in data set or a data frame, in chunks where it is large."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from gradatim.data.streaming.files import AllRows
from gradatim.data.tables.builtin import builtin_names, read_builtin
from gradatim.data.tables.text_files import (
    distinct_names,
    find_layout,
    read_text_chunks,
    read_text_sample,
)
from gradatim.errors import InvalidValue, Unavailable, nearest_first
from gradatim.files import check_regular

CHUNK_ROWS = 16_384
Limit = Callable[[int], int]
PARQUET = (".parquet", ".pq")
FOREIGN = (".xlsx", ".xls", ".ods", ".json", ".jsonl", ".pkl", ".pickle", ".npy", ".npz", ".h5", ".feather", ".sqlite")  # fmt: skip


@dataclass
class RawTable:
    """A table before its columns have types.

    Args:
        name: A short name for titles and folders.
        frame: The rows kept; the index is their place in the source, from 0.
        rows: Rows in the source, which may be more than were kept.
        target: The column to predict, where the source knows it.
        notes: What was done while reading, one sentence each.
        files: All rows, where the source is a pattern of files.
    """

    name: str
    frame: pd.DataFrame
    rows: int
    target: str | None = None
    notes: list[str] = field(default_factory=list)
    files: AllRows | None = None


def read_table(
    source: "str | Path | pd.DataFrame",
    *,
    limit: Limit | None = None,
    seed: int = 0,
    seconds: float | None = None,
) -> RawTable:
    """Read a table; of one that is too long keep a uniform random sample of its rows, in their order.

    Args:
        source: Path of a CSV, TSV or Parquet file, a built-in name, or a data frame.
        limit: Most rows to keep of a table with so many columns; ``None`` keeps all.
        seed: Fixes the sample.
        seconds: Time to look through the file, and three times as much to read what cannot be sampled unread; where it is
            up, the rows before it are the table.

    Example:
        >>> table = read_table("iris")
        >>> table.target, table.frame.shape
        ('species', (150, 5))
    """
    notes: list[str] = []
    name, target = ("table", None) if isinstance(source, pd.DataFrame) else _identity(str(source))
    files = AllRows(str(source), as_text=True) if is_pattern(source) else None
    if files is None:
        frame, rows = _draw(source, limit, seed, notes, seconds)
    else:
        frame, rows = sample_rows(files, limit, seed), files.rows
    if not frame.shape[1]:
        raise InvalidValue(f"{_name(source)}: must have columns, got none.")
    if not len(frame):
        raise InvalidValue(f"{_name(source)}: must have rows under its header, got none.")
    if len(frame) < rows:
        notes.append(
            f"A random sample of {len(frame):,} of {rows:,} rows is used (a longer --budget or --rows "
            "takes more)."
        )
    return RawTable(name, frame, rows, target, notes, files)


def is_pattern(source: object) -> bool:
    """Whether a source names several files by a pattern.

    >>> is_pattern("big/*.parquet"), is_pattern("iris")
    (True, False)
    """
    return (
        isinstance(source, str | Path)
        and bool(set("*?[") & set(str(source)))
        and not Path(source).exists()
    )


def sample_rows(files: AllRows, limit: Limit | None, seed: int) -> pd.DataFrame:
    """A uniform random sample of the rows of files, in their order; the index is their place.

    Args:
        files: The rows.
        limit: As in :func:`read_table`.
        seed: Fixes the sample.
    """
    most = files.rows if limit is None else min(limit(len(files.names)), files.rows)
    rows = np.sort(
        np.random.default_rng(seed).choice(files.rows, most, replace=False, shuffle=False)
    )
    return _named(files.take(rows), []).set_axis(rows, axis=0)


def iterate(
    source: "str | Path | pd.DataFrame", notes: list[str] | None = None
) -> Iterator[pd.DataFrame]:
    """Yield a table in chunks of ``CHUNK_ROWS`` rows.

    Args:
        source: As in :func:`read_table`.
        notes: Collects what was done while reading.

    Example:
        >>> [len(chunk) for chunk in iterate("iris")]
        [150]
    """
    notes = [] if notes is None else notes
    if isinstance(source, pd.DataFrame):
        return _slices(_named(source, notes))
    path = Path(source)
    if is_pattern(source):
        return AllRows(str(source), as_text=True).chunks(CHUNK_ROWS)
    if _is_builtin(str(source)):
        return _slices(read_builtin(str(source))[0])
    if not path.exists():
        raise _not_found(str(source))
    check_regular(path)
    if path.suffix.lower() in FOREIGN:
        raise InvalidValue(f"{path}: must be CSV, TSV or Parquet. Save the table as CSV first.")
    if path.suffix.lower() in PARQUET:
        return _parquet_chunks(path, notes)
    return read_text_chunks(path, CHUNK_ROWS, find_layout(path, notes))


def _draw(
    source: "str | Path | pd.DataFrame",
    limit: Limit | None,
    seed: int,
    notes: list[str],
    seconds: float | None,
) -> tuple[pd.DataFrame, int]:
    """Rows of a source, and how many it has; a long text file is sampled before it is parsed."""
    path = None if isinstance(source, pd.DataFrame) or _is_builtin(str(source)) else Path(source)
    if path is None or not path.is_file() or path.suffix.lower() in (*FOREIGN, *PARQUET):
        return _sample(iterate(source, notes), limit, seed, notes, seconds)
    layout = find_layout(path, notes, seconds)
    most = layout.lines if limit is None else limit(len(layout.names))
    if layout.lines > most:
        found = read_text_sample(path, most, seed, layout)
        if found is not None:
            if layout.bytes is not None:
                notes.append(f"Only the first {layout.bytes / 1e6:,.1f} MB of {path.name} were read, to keep within the budget.")  # fmt: skip
            return found
    return _sample(read_text_chunks(path, CHUNK_ROWS, layout), limit, seed, notes, seconds)


def _name(source: object) -> str:
    return "the table" if isinstance(source, pd.DataFrame) else str(source)


def _is_builtin(source: str) -> bool:
    """Whether a name means a built-in set; a file of that name goes first."""
    return source in builtin_names() and not Path(source).is_file()


def _identity(source: str) -> tuple[str, str | None]:
    """Name of a source and, for a built-in set, its target."""
    if _is_builtin(source):
        return source, read_builtin(source)[1]
    if is_pattern(source):
        return Path(source).parent.name or "table", None
    return Path(source).name.split(".")[0] or "table", None


def _not_found(source: str) -> Unavailable:
    looks_like_path = "." in Path(source).name or "/" in source
    near = nearest_first(source, builtin_names())[0]
    hint = "Check the path." if looks_like_path else f"The nearest built-in name is {near!r}."
    return Unavailable(f"{source}: there is no such file. {hint}")


def _slices(frame: pd.DataFrame) -> Iterator[pd.DataFrame]:
    for start in range(0, max(len(frame), 1), CHUNK_ROWS):
        yield frame.iloc[start : start + CHUNK_ROWS]


def _named(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """A frame whose columns have names of their own, as texts."""
    return frame.set_axis(distinct_names(map(str, frame.columns), notes), axis=1)


def _parquet_chunks(path: Path, notes: list[str]) -> Iterator[pd.DataFrame]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise Unavailable(
            f"{path}: Parquet files need the package pyarrow. Try: pip install 'gradatim[parquet]'."
        ) from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            told = notes
            for batch in file.iter_batches(batch_size=CHUNK_ROWS):
                yield _named(batch.to_pandas(), told)
                told = []  # names are the same in every batch
            if told is notes:
                yield _named(file.schema_arrow.empty_table().to_pandas(), notes)
    except (pyarrow.ArrowException, OSError) as error:
        if isinstance(error, PermissionError):
            raise Unavailable(f"{path}: cannot be read: {error.strerror}.") from error
        reason = str(error).splitlines()[0]
        raise InvalidValue(f"{path}: is damaged or not a Parquet file ({reason}).") from error


def _sample(
    chunks: Iterator[pd.DataFrame],
    limit: Limit | None,
    seed: int,
    notes: list[str],
    seconds: float | None = None,
) -> tuple[pd.DataFrame, int]:
    """Keep the rows with the smallest random keys: a uniform sample of a stream of unknown length."""
    until = np.inf if seconds is None else time.monotonic() + 3 * seconds
    rng = np.random.default_rng(seed)
    kept: list[pd.DataFrame] = []
    keys, total, most = np.empty(0), 0, np.inf
    for chunk in chunks:
        if limit is not None and not kept:
            most = limit(chunk.shape[1])
        kept.append(chunk.set_axis(pd.RangeIndex(total, total + len(chunk)), axis=0))
        keys = np.concatenate([keys, rng.random(len(chunk))])
        total += len(chunk)
        if len(keys) > 2 * most:
            kept, keys = _keep(kept, keys, int(most))
        if (
            time.monotonic() > until and len(chunk) >= CHUNK_ROWS - 1
        ):  # the header is a row of the first
            notes.append(f"Only the first {total:,} rows were read, to keep within the budget.")
            break
    if len(keys) > most:
        kept, keys = _keep(kept, keys, int(most))
    return pd.concat(kept) if len(kept) > 1 else kept[0], total


def _keep(
    chunks: list[pd.DataFrame], keys: np.ndarray, limit: int
) -> tuple[list[pd.DataFrame], np.ndarray]:
    rows = np.sort(np.argpartition(keys, limit - 1)[:limit])
    return [pd.concat(chunks).iloc[rows]], keys[rows]
