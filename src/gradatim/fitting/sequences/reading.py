"""Series with their targets, wherever they lie: tables, files and folders of series, built-in sets, memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from gradatim import data as catalogue
from gradatim.data.tables.columns import clean, words
from gradatim.data.tables.reading import read_table
from gradatim.errors import InvalidType, InvalidValue, Unavailable
from gradatim.files import check_regular
from gradatim.fitting.sequences.arrays import from_arrays
from gradatim.fitting.sequences.folders import read_folder, read_steps
from gradatim.fitting.sequences.kind import ENDINGS, SequenceOptions, is_bare, is_built_in
from gradatim.fitting.sequences.npz import read_npz
from gradatim.fitting.sequences.raw import Layout, RawSeries, from_table
from gradatim.fitting.sequences.series_files import read_series_file
from gradatim.fitting.tables.problem import find_name

FILES_PER_SECOND = 100  # of the budget
CELLS_PER_SECOND = 50_000  # of the budget
FEWEST = 200  # series that are read in any case


def read_source(data: Any, job: SequenceOptions) -> RawSeries:
    """Read series and what is to be predicted of each.

    Args:
        data: A table, a file or folder of series, a built-in name, or a pair in memory.
        job: What was asked for.
    """
    layout = Layout(job.series, job.time_column)
    raw = _read(data, job, layout)
    if job.labels is not None:
        add_labels(raw, job)
    if raw.target is None:
        raise InvalidValue("fit: series must have a target each, and nothing tells it. Put a folder for each class around them, or give --labels.")  # fmt: skip
    if job.group is not None and raw.groups is None:
        raise InvalidValue(f"fit: group must be a column of the table or of --labels, got {job.group!r}.")  # fmt: skip
    if job.time_column is not None and raw.stamps is None:
        raise InvalidValue(f"fit: time_column must be left out where series have no columns, got {job.time_column!r}. Steps are read as they stand.")  # fmt: skip
    return _sample(raw, job)


def _read(data: Any, job: SequenceOptions, layout: Layout) -> RawSeries:
    if isinstance(data, tuple):
        if len(data) != 2:
            raise InvalidType(f"fit: data must be a pair of series and targets, got {len(data)} things.")  # fmt: skip
        raw = from_arrays(*data)
        assert raw.target is not None
        raw.target_name = job.target or str(raw.target.name)
        return raw
    if not isinstance(data, str | Path | pd.DataFrame):
        raise InvalidType(f"fit: series must come with their targets, as a pair, got a {type(data).__name__} alone.")  # fmt: skip
    if isinstance(data, pd.DataFrame):
        return _table(data, job, layout)
    path = Path(data)
    if not path.exists() and is_built_in(str(data)):
        return read_built_in(str(data), job.test)
    if path.is_dir():
        most = job.rows if job.rows or job.trials else int(FILES_PER_SECOND * job.budget)
        labels = None if job.labels is None else Path(job.labels)
        return read_folder(path, layout, leave_out=labels, has_labels=labels is not None, most=most, seed=job.seed)  # fmt: skip
    if path.is_file() and (found := read_file(path, job.target, job.group)) is not None:
        return found
    return _table(path, job, layout)


def read_file(path: Path, target: str | None = None, group: str | None = None, *, owner: str = "fit") -> RawSeries | None:  # fmt: skip
    """Read a file that holds series and nothing else; ``None`` where it is a table.

    Args:
        path: The file.
        target: As in :func:`read_npz`.
        group: As there.
        owner: Who asks, for messages.
    """
    ending = path.suffix.lower()
    if ending == ".npz":
        check_regular(path)
        return read_npz(path, target, group, owner=owner)
    if ending == ".ts" or (ending in (".tsv", ".txt") and is_bare(path)):
        check_regular(path)
        return read_series_file(path, owner=owner)
    return None


def _table(source: "Path | pd.DataFrame", job: SequenceOptions, layout: Layout) -> RawSeries:
    """Series of a table with one row per step."""
    table = read_table(source, seconds=job.seconds_to_look)
    frame = table.frame
    series = find_name(frame, job.series, "series")
    has_labels = job.labels is not None
    target = None if has_labels else find_name(frame, job.target, "target")
    group = job.group if job.group is None or job.group in frame.columns or has_labels else find_name(frame, job.group, "group")  # fmt: skip
    constant = [c for c in (target, group) if c is not None and c in frame.columns]
    raw, values = from_table(frame, Layout(series, layout.time), table.name, table.notes, constant=constant)  # fmt: skip
    if target is not None:
        raw.target, raw.target_name = values[target], target
    if group in values:
        raw.groups = values[group]
    return raw


def add_labels(raw: RawSeries, job: SequenceOptions) -> None:
    """Give series the targets (and groups) of a table with a row for each.

    Args:
        raw: The series; gains the targets.
        job: What was asked for.
    """
    path = Path(str(job.labels))
    if not path.is_file():
        raise Unavailable(f"{path}: there is no such file. Name a table with the target of every series in --labels.")  # fmt: skip
    frame = read_table(path).frame
    names = [str(column) for column in frame.columns]
    key = next((c for c in (job.series, raw.column) if c in names), names[0])
    others = [name for name in names if name not in (key, job.group)]
    target = find_name(frame, job.target or (others[0] if len(others) == 1 else None), "target")
    cells = words(clean(frame[key]))
    known = [cells.names[code] if code >= 0 else "" for code in cells.codes.tolist()]
    place = {_stem(name): k for k, name in reversed(list(enumerate(known)))}
    twice = len(known) - len(set(known))
    if twice:
        raise InvalidValue(f"fit: {path.name} must have one row for each series, got {twice:,} names of {key!r} again.")  # fmt: skip
    rows = np.array([place.get(_stem(name), -1) for name in raw.names])
    if (rows < 0).all():
        raise InvalidValue(
            f"fit: {path.name} must name the series in {key!r}, got {known[0]!r}, …, where the series are called "
            f"{raw.names[0]!r}, …."
        )
    strange = len(known) - len(set(rows[rows >= 0].tolist()))
    if strange:
        raw.notes.append(f"{path.name} has targets of {strange:,} series that are not there.")
    raw.target, raw.target_name = _picked(frame[target], rows), target
    if job.group in names:
        raw.groups = _picked(frame[str(job.group)], rows)


def _stem(name: str) -> str:
    """The name of a series without folders and the ending of a file."""
    path = Path(name)
    return path.stem if path.suffix.lower() in ENDINGS else path.name  # fmt: skip


def _picked(cells: pd.Series, rows: np.ndarray) -> pd.Series:
    found = clean(cells).reset_index(drop=True).reindex(np.where(rows < 0, len(cells), rows))
    return found.reset_index(drop=True)


def read_built_in(name: str, test: object = 0.2) -> RawSeries:
    """Series of a built-in set; the published test part comes last.

    Args:
        name: Its name.
        test: A path is refused.
    """
    if isinstance(test, str):
        raise InvalidValue("fit: test must be a share for a built-in set, got a file. Try 0.2.")
    record = catalogue.load(name)
    labels = np.asarray(record.y)
    if record.target_names is not None:
        labels = np.array(record.target_names, dtype=object)[labels]
    raw = from_arrays(list(record.X), labels, channels=record.feature_names)
    raw.name, raw.target_name = name, "label"
    if record.split is not None:
        raw.published = len(np.arange(len(labels))[record.split[0]])
        raw.notes.append("The published test part is the test.")
    return raw


def _sample(raw: RawSeries, job: SequenceOptions) -> RawSeries:
    """Keep as many series as were asked for, or as the budget can deal with."""
    limit, why = job.rows, "as asked"
    if limit is None and job.trials is None:
        cells = float(raw.steps.size) / len(raw)
        limit = max(int(job.budget * CELLS_PER_SECOND / max(cells, 1.0)), FEWEST)
        why = "as the budget allows (a longer --budget takes more)"
    if limit is None or len(raw) <= limit:
        return raw
    kept = np.sort(np.random.default_rng([job.seed, 3]).permutation(len(raw))[:limit])
    raw.notes.append(f"A random sample of {limit:,} of {len(raw):,} series is used, {why}.")
    return raw.take(kept)


def read_new(data: Any, layout: Layout, channels: list[str], notes: list[str]) -> RawSeries:
    """Read series to predict: whatever :func:`read_source` reads, without targets.

    Args:
        data: As there; series in memory come alone.
        layout: Which columns of a table name series and times.
        channels: Names of the channels, for arrays that name none.
        notes: Collects what was done.
    """
    owner = "predict"
    if not isinstance(data, str | Path | pd.DataFrame):
        is_named = isinstance(data, list | tuple) and len(data) and isinstance(data[0], pd.DataFrame)  # fmt: skip
        raw = from_arrays(data, owner=owner, channels=[] if is_named else channels)
    elif isinstance(data, str | Path) and not Path(data).exists() and is_built_in(str(data)):
        raw = read_built_in(str(data))
        raw.notes.clear()
    elif isinstance(data, str | Path) and Path(data).is_dir():
        raw = read_folder(Path(data), layout, has_labels=True, owner=owner)
    elif isinstance(data, str | Path) and Path(data).is_file() and (found := read_file(Path(data), owner=owner)):  # fmt: skip
        raw = found
    else:
        raw = _new_table(data, layout, owner)
    notes += raw.notes
    return raw


def _new_table(source: "str | Path | pd.DataFrame", layout: Layout, owner: str) -> RawSeries:
    """Series of a table; where the model was not learned from tables with a column of series, all rows are one."""
    if layout.series is None and not isinstance(source, pd.DataFrame) and Path(source).is_file():
        frame, notes = read_steps(Path(source))
        raw = from_table(frame, layout, Path(source).stem, notes, owner=owner)[0]
        raw.names, raw.column = [Path(source).name], "file"
        return raw
    table = read_table(source)
    return from_table(table.frame, layout, table.name, table.notes, owner=owner)[0]
