"""Steps of many series, end to end: rows of some series, gaps, grids of times, and padded batches."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradatim.data.tables.columns import Cells, Levels


@dataclass(frozen=True, eq=False)
class Sequences:
    """Series of numbers of any length, end to end.

    Args:
        values: Steps of all series, shape ``(S, D)``.
        lengths: Steps of each, shape ``(N,)``.
        num_static: Features at the end of a step that are the same in every step of a series.

    Example:
        >>> pair = Sequences(np.array([[1.0], [2.0], [3.0]], np.float32), np.array([1, 2]))
        >>> pair.padded().squeeze(-1).tolist(), pair.take(np.array([1])).values.ravel().tolist()
        ([[1.0, 0.0], [2.0, 3.0]], [2.0, 3.0])
    """

    values: np.ndarray
    lengths: np.ndarray
    num_static: int = 0

    def __len__(self) -> int:
        return len(self.lengths)

    @cached_property
    def starts(self) -> np.ndarray:
        """The first step of each series."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def longest(self) -> int:
        """Steps of the longest series."""
        return int(self.lengths.max())

    @property
    def num_moving(self) -> int:
        """Features that change within a series."""
        return self.values.shape[1] - self.num_static

    @property
    def static(self) -> np.ndarray:
        """What is the same in every step of a series, shape ``(N, num_static)``."""
        return self.values[self.starts, self.num_moving :]

    def take(self, rows: np.ndarray) -> "Sequences":
        """Some of the series."""
        steps = step_rows(self.lengths, rows)
        return Sequences(self.values[steps], self.lengths[rows], self.num_static)

    def padded(self, length: int | None = None) -> np.ndarray:
        """All series in one array, shape ``(N, length, D)``, zero behind their ends.

        Args:
            length: Steps of the array; those of the longest series by default.
        """
        length = self.longest if length is None else length
        batch = np.zeros((len(self), length, self.values.shape[1]), self.values.dtype)
        batch[np.arange(length) < self.lengths[:, None]] = self.values
        return batch

    def averaged(self, size: int) -> "Sequences":
        """Blocks of ``size`` neighbouring steps as their means; the last block of a series may be smaller.

        Args:
            size: Steps of a block.
        """
        if size == 1:
            return self
        counts = -(-self.lengths // size)
        place = np.arange(len(self.values)) - np.repeat(self.starts, self.lengths)
        first = np.flatnonzero(place % size == 0)
        sums = np.add.reduceat(self.values.astype(np.float64), first, axis=0)
        means = sums / np.diff(np.append(first, len(self.values)))[:, None]
        return Sequences(means.astype(self.values.dtype), counts, self.num_static)


def step_rows(lengths: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Places of the steps of some series.

    Args:
        lengths: Steps of every series.
        rows: Series, in any order.

    Example:
        >>> step_rows(np.array([2, 1, 3]), np.array([2, 0])).tolist()
        [3, 4, 5, 0, 1]
    """
    starts, own = (np.cumsum(lengths) - lengths)[rows], lengths[rows]
    return np.repeat(starts - (np.cumsum(own) - own), own) + np.arange(own.sum())


def fill_gaps(values: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Put missing numbers on a line between their neighbours in the same series; at its ends the nearest goes on.

    A series without any number stays as it is.

    Args:
        values: Numbers of all steps, NaN where there is none.
        lengths: Steps of each series.

    Example:
        >>> fill_gaps(np.array([np.nan, 1.0, np.nan, 3.0, np.nan, np.nan]), np.array([5, 1])).tolist()
        [1.0, 1.0, 2.0, 3.0, 3.0, nan]
    """
    is_there = ~np.isnan(values)
    if is_there.all():
        return values
    before, after = _neighbours(is_there, lengths)
    low, high = np.where(before < 0, after, before), np.where(after < 0, before, after)
    share = (np.arange(len(values)) - low) / np.maximum(high - low, 1)
    return np.where(low < 0, np.nan, values[low] + share * (values[high] - values[low]))


def carry_on(codes: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Let categories go on where cells of a series are missing; before its first one, the first is taken.

    Args:
        codes: Categories as numbers, -1 where there is none.
        lengths: Steps of each series.

    Example:
        >>> carry_on(np.array([-1, 2, -1, -1]), np.array([3, 1])).tolist()
        [2, 2, 2, -1]
    """
    before, after = _neighbours(codes >= 0, lengths)
    near = np.where(before < 0, after, before)
    return np.where(near < 0, -1, codes[near])


def _neighbours(is_there: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The last and the next step of the same series with a value, itself included; -1 where there is none."""
    count, place = len(is_there), np.arange(len(is_there))
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    ends = np.repeat(np.cumsum(lengths), lengths)
    before = np.maximum.accumulate(np.where(is_there, place, -1))
    after = np.minimum.accumulate(np.where(is_there, place, count)[::-1])[::-1]
    return np.where(before >= starts, before, -1), np.where(after < ends, after, -1)


def fill_cells(table: Mapping[str, Cells], lengths: np.ndarray) -> dict[str, Cells]:
    """Fill the gaps of every column: numbers by a line, categories by going on.

    Args:
        table: Typed cells of all steps.
        lengths: Steps of each series.
    """
    return {
        name: Levels(carry_on(cells.codes, lengths), cells.names)
        if isinstance(cells, Levels)
        else fill_gaps(cells, lengths)
        for name, cells in table.items()
    }


def count_missing(table: Mapping[str, Cells]) -> int:
    """Cells without a value.

    Args:
        table: Typed cells.

    Example:
        >>> count_missing({"x": np.array([1.0, np.nan]), "c": Levels(np.array([-1, 0]), ["a"])})
        2
    """
    return sum(
        int((cells.codes < 0).sum() if isinstance(cells, Levels) else np.isnan(cells).sum())
        for cells in table.values()
    )


def place_steps(
    table: Mapping[str, Cells], source: np.ndarray, places: np.ndarray, size: int
) -> dict[str, Cells]:
    """Move cells to other places; several in one place become their mean, or the first of their categories.

    Args:
        table: Typed cells.
        source: Cells that are taken.
        places: Where each goes, ascending.
        size: Places there are; those that nothing goes to are missing.
    """
    found: dict[str, Cells] = {}
    for name, cells in table.items():
        if isinstance(cells, Levels):
            codes = np.full(size, -1, cells.codes.dtype)
            codes[places[::-1]] = cells.codes[source][::-1]  # the first stays
            found[name] = Levels(codes, cells.names)
            continue
        own = cells[source]
        is_there = ~np.isnan(own)
        sums = np.bincount(places[is_there], weights=own[is_there], minlength=size)
        counts = np.bincount(places[is_there], minlength=size)
        found[name] = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return found
