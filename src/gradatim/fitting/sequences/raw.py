"""Series as they were read, before their columns have types."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import clean, words
from gradatim.data.tables.times import read_times
from gradatim.errors import InvalidValue
from gradatim.fitting.sequences.steps import step_rows
from gradatim.fitting.tables.problem import find_name
from gradatim.wording import shorten


@dataclass(frozen=True)
class Layout:
    """Which columns hold what.

    Args:
        series: Column that names the series of a row; ``None`` where the source keeps series apart.
        time: Column of times; ``None`` where steps lie in their order.
    """

    series: str | None = None
    time: str | None = None


@dataclass
class RawSeries:
    """Series before their columns have types.

    Args:
        name: A short name for titles and folders.
        steps: Channels, one row per step, series after series.
        lengths: Steps of each series.
        names: Names of the series.
        column: What these names are called.
        target: What is predicted, one cell per series; empty where nobody says.
        target_name: What it is called.
        groups: Groups, one cell per series, where they were asked for.
        stamps: Times of the steps, ascending within a series.
        is_date: Whether times are days since 1970.
        time: What times are called that nobody asked for: those of a file.
        published: How many series come first and were published to learn from; 0 where nobody published a split.
        notes: What was done while reading, one sentence each.
    """

    name: str
    steps: pd.DataFrame
    lengths: np.ndarray
    names: list[str]
    column: str = "series"
    target: pd.Series | None = None
    target_name: str = "label"
    groups: pd.Series | None = None
    stamps: np.ndarray | None = None
    is_date: bool = False
    time: str | None = None
    published: int = 0
    notes: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.lengths)

    def take(self, rows: np.ndarray) -> "RawSeries":
        """Some of the series, in the order given."""
        steps = step_rows(self.lengths, rows)
        return replace(
            self,
            steps=self.steps.iloc[steps].reset_index(drop=True),
            lengths=self.lengths[rows],
            names=[self.names[k] for k in rows.tolist()],
            target=None if self.target is None else self.target.iloc[rows].reset_index(drop=True),
            groups=None if self.groups is None else self.groups.iloc[rows].reset_index(drop=True),
            stamps=None if self.stamps is None else self.stamps[steps],
            published=int((rows < self.published).sum()),
        )


def join(first: RawSeries, second: RawSeries) -> RawSeries:
    """Put series of the user's own test behind the others; both must have the same columns.

    Args:
        first: Series to learn from.
        second: Series to judge by.
    """
    missing = [name for name in first.steps.columns if name not in second.steps.columns]
    if missing:
        raise InvalidValue(f"fit: the test series must have the column {missing[0]!r}, and have not.")  # fmt: skip
    if second.target is None or second.is_date != first.is_date or (second.stamps is None) != (first.stamps is None):  # fmt: skip
        lack = "a target" if second.target is None else "times of the same kind"
        raise InvalidValue(f"fit: the test series must have {lack}, and have not.")
    both = [p for p in (first.stamps, second.stamps) if p is not None]
    groups = [p for p in (first.groups, second.groups) if p is not None]
    return replace(
        first,
        steps=pd.concat([first.steps, second.steps[list(first.steps.columns)]], ignore_index=True),
        lengths=np.concatenate([first.lengths, second.lengths]),
        names=first.names + second.names,
        target=pd.concat([p for p in (first.target, second.target) if p is not None], ignore_index=True),
        groups=pd.concat(groups, ignore_index=True) if len(groups) == 2 else None,
        stamps=np.concatenate(both) if len(both) == 2 else None,
        published=0,
        notes=first.notes + [note for note in second.notes if note not in first.notes],
    )  # fmt: skip


def from_table(
    frame: pd.DataFrame,
    layout: Layout,
    name: str,
    notes: list[str],
    *,
    owner: str = "fit",
    constant: Sequence[str] = (),
) -> tuple[RawSeries, dict[str, pd.Series]]:
    """Series of a table with one row per step.

    Args:
        frame: The table.
        layout: Which columns name series and times; without a column of series all rows are one.
        name: A short name.
        notes: Collects what was done.
        owner: Who asks, for messages.
        constant: Columns that hold one value for each series; they are taken out of the steps.

    Returns:
        The series, and the columns of one value each.
    """
    frame = frame.reset_index(drop=True)
    codes, names = _series_of(frame, layout.series, notes, owner)
    stamps, is_date = None, False
    if layout.time is not None:
        stamps, is_date = read_times(frame, find_name(frame, layout.time, "time_column", owner=owner), owner=owner)  # fmt: skip
    order = np.lexsort((np.arange(len(codes)) if stamps is None else stamps, codes))
    order = order[codes[order] >= 0]
    if not len(order):
        raise InvalidValue(f"{owner}: {layout.series!r} must name the series of rows, got none.")
    if stamps is not None:
        if (np.diff(order) != 1).any() and _is_in_disorder(stamps, codes):
            notes.append(f"Rows are read in the order of {layout.time!r}, in which they do not stand.")  # fmt: skip
        stamps = stamps[order]
    codes = codes[order]
    lengths = np.bincount(codes, minlength=len(names))
    values = {
        column: one_each(frame[column].iloc[order], lengths, names, column, owner)
        for column in constant
    }
    hidden = [c for c in (layout.series, layout.time, *constant) if c is not None]
    steps = frame.drop(columns=hidden).iloc[order].reset_index(drop=True)
    raw = RawSeries(name, steps, lengths, names, layout.series or "series", stamps=stamps, is_date=is_date, notes=notes)  # fmt: skip
    return raw, values


def _series_of(
    frame: pd.DataFrame, column: str | None, notes: list[str], owner: str
) -> tuple[np.ndarray, list[str]]:
    """The series of every row, numbered as they come; rows without one are left out, and counted."""
    if column is None:
        return np.zeros(len(frame), np.int64), ["1"]
    levels = words(clean(frame[find_name(frame, column, "series", owner=owner)]))
    found = pd.unique(levels.codes[levels.codes >= 0])
    place = np.full(len(levels.names) + 1, -1)
    place[found] = np.arange(len(found))
    lost = int((levels.codes < 0).sum())
    if lost:
        rows = "1 row has" if lost == 1 else f"{lost:,} rows have"
        notes.append(f"{rows} no series in {column!r} and {'is' if lost == 1 else 'are'} left out.")
    return place[levels.codes], [levels.names[k] for k in found.tolist()]


def _is_in_disorder(stamps: np.ndarray, codes: np.ndarray) -> bool:
    """Whether the rows of some series do not come in the order of their times."""
    order = np.argsort(codes, kind="stable")
    same = codes[order][1:] == codes[order][:-1]
    return bool((np.diff(stamps[order]) < 0)[same].any())


def one_each(
    cells: pd.Series, lengths: np.ndarray, names: Sequence[str], column: str, owner: str
) -> pd.Series:
    """The one value that a column has in every series; missing cells beside it do not matter.

    Args:
        cells: Cells of all steps, series after series.
        lengths: Steps of each series.
        names: Names of the series.
        column: Name of the column.
        owner: Who asks, for messages.
    """
    cleaned = clean(cells).reset_index(drop=True)
    codes, values = pd.factorize(cleaned)
    starts = np.cumsum(lengths) - lengths
    high = np.maximum.reduceat(codes, starts)
    low = np.minimum.reduceat(np.where(codes < 0, len(values), codes), starts)
    torn = np.flatnonzero((high >= 0) & (low != high))
    if len(torn):
        k = int(torn[0])
        got = " and ".join(shorten(repr(_plain(values[code])), 40) for code in (low[k], high[k]))
        raise InvalidValue(
            f"{owner}: {column!r} must have one value in each series, got {got} in series "
            f"{shorten(repr(names[k]), 40)} ({len(torn):,} such series). Check which column names the series."
        )
    place = starts.copy()
    first = pd.Series(np.arange(len(codes))[codes >= 0]).groupby(np.repeat(np.arange(len(lengths)), lengths)[codes >= 0]).first()  # fmt: skip
    place[first.index.to_numpy()] = first.to_numpy()
    return cleaned.iloc[place].reset_index(drop=True).rename(column)


def _plain(value: object) -> object:
    return value.item() if isinstance(value, np.generic) else value
