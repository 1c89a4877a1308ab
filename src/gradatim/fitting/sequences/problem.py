"""Series with a label or a number each, and those set aside for the test."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import (
    Cells,
    Column,
    Levels,
    find_columns,
    read_cells,
    read_plain_numbers,
)
from gradatim.errors import InvalidValue, require
from gradatim.evaluation.splits import Split, make_strata, split_test
from gradatim.fitting.classes import LabelledRows, check_test
from gradatim.fitting.sequences.grid import SINCE, find_grid, to_grid
from gradatim.fitting.sequences.kind import SequenceOptions
from gradatim.fitting.sequences.raw import Layout, RawSeries, join
from gradatim.fitting.sequences.reading import read_source
from gradatim.fitting.sequences.steps import count_missing, fill_cells, step_rows
from gradatim.fitting.series.times import Axis
from gradatim.fitting.tables.preprocessing import describe_unread, read_columns
from gradatim.fitting.tables.problem import find_name, read_labels

MIN_SERIES = 12
LEARNED = 8  # series to learn from, at the least
MOST_STEPS = 2048  # of a series; longer ones are averaged
LONGEST = 10_000_000  # steps of a series


@dataclass
class SequenceProblem(LabelledRows):
    """Typed steps, target and split.

    Args:
        name: Short name of the data.
        target: Name of what is predicted.
        labels: Class labels in order of their codes; empty for regression.
        y: Class codes, or values, one per series.
        columns: The columns of a step that a model may use, those that never change within a series last.
        num_static: How many columns never change.
        table: Cells of all steps, series after series.
        lengths: Steps of each series.
        names: Names of the series.
        train: Series to learn from.
        test: Series that judge at the end.
        layout: Which columns of a table name series and times.
        column: What the names of series are called.
        axis: The grid of times, where there is one.
        block: Neighbouring steps that are averaged into one.
        groups: Group of every series, if any.
        notes: What was done to the data, one sentence each.
    """

    things = "series"
    name: str
    target: str
    labels: list[str | int]
    y: np.ndarray
    columns: list[Column]
    num_static: int
    table: dict[str, Cells]
    lengths: np.ndarray
    names: list[str]
    train: np.ndarray
    test: np.ndarray
    layout: Layout
    column: str = "series"
    axis: Axis | None = None
    block: int = 1
    groups: np.ndarray | None = None
    notes: list[str] = field(default_factory=list)

    def contents(self) -> Iterator[bytes]:
        """Yield all cells, the target and the split."""
        yield from super().contents()
        yield self.lengths.tobytes()
        for column in self.columns:
            cells = self.table[column.name]
            yield repr(column).encode()
            for part in cells if isinstance(cells, tuple) else (cells,):
                yield part.tobytes() if isinstance(part, np.ndarray) else repr(part).encode()

    def places(self) -> tuple[str, list[str]]:
        """Names of the test series, as a column."""
        return self.column, [self.names[k] for k in self.test.tolist()]

    def fold_rows(self, count: int, seed: int) -> list[Split]:
        """Folds of whole series, and of whole groups where there are groups."""
        return self.folds(count, seed, self.groups)


def prepare(data: object, job: SequenceOptions) -> SequenceProblem:
    """Read series, find target, task and channels, and set the test series aside.

    Args:
        data: As in :func:`~gradatim.fitting.sequences.reading.read_source`.
        job: What was asked for.
    """
    raw = read_source(data, job)
    is_test = np.arange(len(raw)) >= (raw.published or len(raw))
    if isinstance(job.test, str):
        own = read_source(job.test, job)
        is_test = np.arange(len(raw) + len(own)) >= len(raw)
        raw = join(raw, own)
    _check_count(int(raw.target.notna().sum()) if raw.target is not None else 0, raw.target_name)
    assert raw.target is not None
    notes = raw.notes
    labels, y, kept = read_labels(raw.target.rename(raw.target_name), job.task, is_test, notes)
    _check_count(len(y), raw.target_name)
    raw, is_test = raw.take(kept), is_test[kept]
    groups = None if raw.groups is None else _read_groups(raw.groups, str(job.group))
    train, test = _split(y, labels, is_test if is_test.any() else None, job, groups)
    frame, drop = raw.steps, [find_name(raw.steps, name, "drop") for name in job.drop]
    columns, static = _find_channels(frame.drop(columns=drop), raw.lengths, train, notes)
    table, unread = read_columns(read_plain_numbers(frame[[c.name for c in columns]]), columns, "fit")  # fmt: skip
    notes += describe_unread(unread, columns)
    time = job.time_column or raw.time
    axis, table, lengths = _on_grid(raw, table, time, notes)
    if time is not None and axis is None:
        columns.insert(len(columns) - static, Column(f"{time} {SINCE}", "numeric"))
    table = _filled(table, lengths, notes)
    block = _block(lengths, notes)
    return SequenceProblem(
        raw.name, raw.target_name, labels, y, columns, static, table, lengths, raw.names, train, test,
        Layout(job.series, time), raw.column, axis, block, groups, notes,
    )  # fmt: skip


def _check_count(count: int, target: str) -> None:
    require(count >= MIN_SERIES, f"fit: data must have at least {MIN_SERIES} series with a {target!r}", count)  # fmt: skip


def _read_groups(cells: pd.Series, name: str) -> np.ndarray:
    levels, _ = read_cells(cells, Column(name, "categorical"))
    assert isinstance(levels, Levels)
    require(
        len(levels.names) >= 4, f"fit: group must have at least 4 different values in {name!r}", len(levels.names),
        "Fewer groups cannot be split into training and judging parts.",
    )  # fmt: skip
    return levels.codes  # series without a group form one


def _split(
    y: np.ndarray,
    labels: list[str | int],
    is_test: np.ndarray | None,
    job: SequenceOptions,
    groups: np.ndarray | None,
) -> Split:
    """Training and test series: the user's own or published ones, or a share of all."""
    if is_test is not None:
        train, test = np.flatnonzero(~is_test), np.flatnonzero(is_test)
    else:
        strata = make_strata(y, is_classification=bool(labels))
        rng = np.random.default_rng([job.seed, 0])
        train, test = split_test(strata, float(job.test), rng, groups=groups, keep=2)
    check_test(len(test), "series")
    require(len(train) >= LEARNED, f"fit: test must leave at least {LEARNED} series to learn from", len(train))  # fmt: skip
    if len(np.unique(y[train])) < 2:
        raise InvalidValue("fit: the training series must have different targets, got one value only.")  # fmt: skip
    return train, test


def _find_channels(
    frame: pd.DataFrame, lengths: np.ndarray, train: np.ndarray, notes: list[str]
) -> tuple[list[Column], int]:
    """The columns of a step, those last that never change within a series, and how many these are."""
    steps = step_rows(lengths, train)
    own, sizes = read_plain_numbers(frame.iloc[steps].reset_index(drop=True)), lengths[train]
    counters = [str(c) for c in own.columns if _counts_steps(own[c], sizes)]
    columns, others = find_columns(own.drop(columns=counters))
    left_out = [f"Column {c!r} is left out: it counts the steps of a series (--time-column {c!r} reads it)." for c in counters]  # fmt: skip
    left_out += others
    notes += left_out
    if not columns:
        raise InvalidValue(" ".join(["fit: series must have a channel to learn from, and none is left.", *left_out[:3]]))  # fmt: skip
    long = sizes.max() > 1
    static = [c for c in columns if long and _is_static(own[c.name], c, sizes)]
    if static:
        names = ", ".join(repr(c.name) for c in static[:5]) + (", …" if len(static) > 5 else "")
        notes.append(f"{names} never change{'s' if len(static) == 1 else ''} within a series and {'is' if len(static) == 1 else 'are'} used as such.")  # fmt: skip
    return [c for c in columns if c not in static] + static, len(static)


def _counts_steps(cells: pd.Series, lengths: np.ndarray) -> bool:
    """Whether a column numbers the steps of every series, from 0 or 1."""
    if not pd.api.types.is_numeric_dtype(cells) or lengths.max() < 3:
        return False
    values = cells.to_numpy(np.float64, na_value=np.nan)
    place = np.arange(len(values)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    gap = values - place
    return bool(np.isin(gap[0], (0.0, 1.0)) and (gap == gap[0]).all())


def _is_static(cells: pd.Series, column: Column, lengths: np.ndarray) -> bool:
    values = read_cells(cells, column)[0]
    numbers = values.codes.astype(float) if isinstance(values, Levels) else values
    starts = np.cumsum(lengths) - lengths
    with np.errstate(invalid="ignore"):
        low, high = (f.reduceat(numbers, starts) for f in (np.fmin, np.fmax))
    return bool(((low == high) | np.isnan(low)).all())


def _on_grid(
    raw: RawSeries, table: dict[str, Cells], time: str | None, notes: list[str]
) -> tuple[Axis | None, dict[str, Cells], np.ndarray]:
    """Steps in the order of their times, on a grid where there is one."""
    if raw.stamps is None or time is None:
        return None, table, raw.lengths
    axis = find_grid(raw.stamps, raw.lengths, raw.is_date)
    timed = to_grid(table, raw.lengths, raw.stamps, axis, time)
    if timed.merged:
        notes.append(f"{timed.merged:,} rows share their time with another of the same series: their mean takes their place.")  # fmt: skip
    if timed.added:
        notes.append(f"{timed.added:,} steps are missing between others and are filled in.")
    if axis is None:
        notes.append(f"The times are not regular: rows are taken one after the other, with the time {SINCE} as a channel.")  # fmt: skip
    return axis, timed.table, timed.lengths


def _filled(table: Mapping[str, Cells], lengths: np.ndarray, notes: list[str]) -> dict[str, Cells]:
    missing = count_missing(table)
    if not missing:
        return dict(table)
    filled = fill_cells(table, lengths)
    left = count_missing(filled)
    cells = "1 cell is" if missing - left == 1 else f"{missing - left:,} cells are"
    if missing > left:
        notes.append(f"{cells} missing and lie{'s' if missing - left == 1 else ''} on a line between neighbours of the same series; categories go on.")  # fmt: skip
    if left:
        notes.append(f"{left:,} cells are of series without any value in their column: they count as average and are marked.")  # fmt: skip
    return filled


def _block(lengths: np.ndarray, notes: list[str]) -> int:
    """Neighbouring steps to average, so that no series is too long to be read."""
    longest = int(lengths.max())
    require(longest <= LONGEST, f"fit: series must have at most {LONGEST:,} steps", f"{longest:,}")
    block = -(-longest // MOST_STEPS)
    if block > 1:
        notes.append(f"Series have up to {longest:,} steps: the mean of every {block} neighbours is read.")  # fmt: skip
    return block
