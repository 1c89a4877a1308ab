"""Series read from a table: rows in the order of time, with several numbers each."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import clean, find_column, read_cells, words
from gradatim.data.tables.targets import LARGEST
from gradatim.data.tables.times import read_times
from gradatim.errors import InvalidValue, require

MOST_REPEATED = 0.1  # of the rows, whose time another row of the series has
MOST_MISSING = 0.5  # of a channel
STEADY = 0.01  # of a step, by which steps may differ


@dataclass(frozen=True)
class Layout:
    """Which columns hold what.

    Args:
        time: Column of times.
        channels: Columns of numbers.
        group: Column that names the series of each row.
    """

    time: str
    channels: tuple[str, ...]
    group: str | None


@dataclass(frozen=True)
class Steps:
    """Series one after the other, each in the order of time.

    Args:
        values: Numbers of all steps without gaps, shape ``(T, channels)``.
        series: Number of the series of every step.
        place: Place of every step within its series, from 0.
        rows: Row of the table that every step was.
        stamps: Its time as it stands there.
        names: Names of the series; empty where there is only one.
    """

    values: np.ndarray
    series: np.ndarray
    place: np.ndarray
    rows: np.ndarray
    stamps: list[str]
    names: list[str]

    @property
    def lengths(self) -> np.ndarray:
        """Steps of every series."""
        return np.bincount(self.series, minlength=len(self.names) or 1)


def find_channels(frame: pd.DataFrame, names: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """The columns of numbers that change; of the others a note tells."""
    found, why = [], []
    for name in names:
        column = find_column(frame[name], name)
        cells, _ = read_cells(frame[name], column)
        if column.kind not in ("numeric", "boolean") or not isinstance(cells, np.ndarray):
            why.append(f"Column {name!r} is left out: it does not hold numbers.")
        elif np.isnan(cells).mean() > MOST_MISSING:
            why.append(f"Column {name!r} is left out: more than half of it is missing.")
        elif np.ptp(cells[~np.isnan(cells)]) == 0:
            why.append(f"Column {name!r} is left out: it never changes.")
        else:
            found.append(name)
            _check_range(cells[~np.isnan(cells)], name)
    if not found:
        raise InvalidValue(" ".join(["fit: the series must have a column of numbers that change, and have none.", *why[:3]]))  # fmt: skip
    notes += why
    return tuple(found)


def _check_range(values: np.ndarray, name: str, owner: str = "fit") -> None:
    largest = float(np.abs(values).max(initial=0.0))
    require(largest <= LARGEST, f"{owner}: numbers of a series must stay below 1e150", f"{largest:.3g}", f"Rescale {name!r}.")  # fmt: skip


def read_steps(
    frame: pd.DataFrame, layout: Layout, notes: list[str], *, owner: str = "fit"
) -> Steps:
    """Read the series of a table; missing cells lie on a line between their neighbours.

    Args:
        frame: The table.
        layout: Which columns hold what.
        notes: Collects what was done.
        owner: Who asks, for messages.
    """
    for name in (layout.time, layout.group, *layout.channels):
        if name is not None and name not in frame.columns:
            raise InvalidValue(f"{owner}: the table must have the column {name!r}, and has not.")
    times, _ = read_times(frame, layout.time, owner=owner)
    series, names = np.zeros(len(frame), dtype=np.int64), list[str]()
    if layout.group is not None:
        levels = words(clean(frame[layout.group]))
        series, names = levels.codes, levels.names
    kept = np.flatnonzero(series >= 0)
    if len(kept) < len(frame):
        notes.append(f"{len(frame) - len(kept):,} of {len(frame):,} rows have no series in {layout.group!r} and are left out.")  # fmt: skip
    require(len(kept), f"{owner}: the series must have rows", "none")
    order = kept[np.lexsort((kept, times[kept], series[kept]))]
    _check_times(times[order], series[order], layout, notes, owner)
    values = np.stack([_numbers(frame[name], name, notes, owner) for name in layout.channels], 1)
    values, codes = values[order], series[order]
    for name, column in zip(layout.channels, values.T, strict=True):
        _fill(column, codes, name, owner)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    place = np.arange(len(codes)) - np.repeat(starts, np.diff(starts, append=len(codes)))
    series = np.unique(codes, return_inverse=True)[1]
    stamps = [_stamp(cell) for cell in frame[layout.time].iloc[order].tolist()]
    return Steps(values, series, place, order, stamps, [names[k] for k in np.unique(codes)] if names else [])  # fmt: skip


def _check_times(times: np.ndarray, series: np.ndarray, layout: Layout, notes: list[str], owner: str) -> None:  # fmt: skip
    """Say where times repeat or are not regular; many that repeat are several series in one."""
    same = np.diff(series) == 0
    steps = np.diff(times)[same]
    repeated = int((steps == 0).sum())
    if repeated > MOST_REPEATED * len(times):
        remedy = "Name the column of the series with --group" if layout.group is None else "Look for rows that are there twice"  # fmt: skip
        raise InvalidValue(f"{owner}: time_column must name a time once in every series, got {repeated:,} rows with the time of another in {layout.time!r}. {remedy}.")  # fmt: skip
    if repeated:
        notes.append(f"{repeated:,} row{'s have' if repeated > 1 else ' has'} the time of another and count{'' if repeated > 1 else 's'} as the next step.")  # fmt: skip
    moving = steps[steps > 0]
    usual = float(np.median(moving)) if len(moving) else 0.0
    if len(moving) and (np.abs(moving - usual) > STEADY * usual).any():
        notes.append("The times are not regular: rows are taken one after the other, a step each, whatever lies between them.")  # fmt: skip


def _numbers(cells: pd.Series, name: str, notes: list[str], owner: str) -> np.ndarray:
    values, unread = read_cells(cells, find_column(cells, name))
    if not isinstance(values, np.ndarray):
        raise InvalidValue(f"{owner}: a channel must hold numbers, got words in {name!r}.")
    if unread:
        notes.append(f"Column {name!r}: {unread:,} cells are not numbers and count as missing.")
    _check_range(values[~np.isnan(values)], name, owner)
    return values.copy()


def _fill(values: np.ndarray, series: np.ndarray, name: str, owner: str) -> None:
    """Draw lines across what is missing, within every series."""
    missing = np.isnan(values)
    for code in np.unique(series[missing]).tolist():
        own = np.flatnonzero(series == code)
        known = own[~missing[own]]
        if not len(known):
            raise InvalidValue(f"{owner}: every series must have numbers in {name!r}, got one without any.")  # fmt: skip
        values[own] = np.interp(own, known, values[known])


def _stamp(cell: object) -> str:
    """A time as people write it."""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
