"""Times of steps: a grid that all series share, or the time between steps as one channel more."""

from typing import NamedTuple

import numpy as np

from gradatim.data.tables.columns import Cells
from gradatim.errors import InvalidValue
from gradatim.fitting.sequences.steps import place_steps
from gradatim.fitting.series.times import Axis, find_axis

TOLERANCE = 0.05  # of a step, by which a stamp may miss the grid
MOST_ADDED = 1.0  # missing steps per step that is there; beyond, the times are taken for irregular
MOST_STEPS = 20  # times as many as there are rows, that a series to predict may reach over
SINCE = "since the step before"


class Timed(NamedTuple):
    """Steps on their grid.

    Args:
        table: Typed cells.
        lengths: Steps of each series.
        merged: Steps that shared their time with another.
        added: Steps that were missing.
    """

    table: dict[str, Cells]
    lengths: np.ndarray
    merged: int
    added: int


def find_grid(stamps: np.ndarray, lengths: np.ndarray, is_date: bool) -> Axis | None:
    """The grid on which the steps of every series lie: that of the longest, or the usual step; ``None`` where there is none.

    Args:
        stamps: Times of all steps, ascending within a series.
        lengths: Steps of each series.
        is_date: Whether stamps are days since 1970.

    Example:
        >>> find_grid(np.array([0.0, 2.0, 4.0, 8.0, 7.0, 9.0]), np.array([4, 2]), False)
        Axis(kind='number', step=2.0)
        >>> find_grid(np.array([0.0, 1.0, 5.2, 9.9]), np.array([4]), False)
    """
    parts = [np.unique(part) for part in np.split(stamps, np.cumsum(lengths)[:-1])]
    longest = max(parts, key=len)
    if len(longest) < 3:
        return None
    usual = float(np.median(np.concatenate([np.diff(part) for part in parts])))
    for axis in (find_axis(longest, is_date, []), Axis("date" if is_date else "number", usual)):
        if axis.kind == "order" or not all(_fits(axis, part) for part in parts):
            continue
        reach = sum(float(axis.places(part)[-1]) + 1 for part in parts)
        if reach <= (1 + MOST_ADDED) * sum(map(len, parts)):
            return axis
    return None


def _fits(axis: Axis, stamps: np.ndarray) -> bool:
    if axis.kind == "month":
        return True
    steps = (stamps - stamps[0]) / axis.step
    return bool((np.abs(steps - np.round(steps)) <= TOLERANCE).all())


def to_grid(
    table: dict[str, Cells],
    lengths: np.ndarray,
    stamps: np.ndarray,
    axis: Axis | None,
    time: str,
    *,
    owner: str = "fit",
) -> Timed:
    """Put steps on the grid, or tell the time between them; steps of one time become one.

    Args:
        table: Typed cells of all steps.
        lengths: Steps of each series.
        stamps: Their times, ascending within a series.
        axis: The grid; without one the time since the step before becomes a column.
        time: Name of the column of times.
        owner: Who asks, for messages.
    """
    starts = np.cumsum(lengths) - lengths
    gaps = np.diff(stamps, prepend=stamps[:1])
    gaps[starts] = 0.0
    is_first = np.zeros(len(stamps), bool)
    is_first[starts] = True
    if axis is None:
        place = np.cumsum(is_first | (gaps > 0)) - 1
        size, counts = int(place[-1]) + 1, np.add.reduceat(is_first | (gaps > 0), starts)
        moved = place_steps(table, np.arange(len(stamps)), place, size)
        since = np.zeros(size)
        since[place[gaps > 0]] = gaps[gaps > 0]
        return Timed({**moved, f"{time} {SINCE}": since}, counts, len(stamps) - size, 0)
    own = [axis.places(part) for part in np.split(stamps, starts[1:])]
    reach = np.array([part[-1] + 1 for part in own])
    far = np.flatnonzero(~(reach <= MOST_STEPS * lengths + 1000))
    if len(far):
        raise InvalidValue(
            f"{owner}: times must lie about {axis.step:g} apart, as those of the training series do, "
            f"got {lengths[far[0]]:,} rows over {reach[far[0]]:.3g} steps. Leave rows with strange times out."
        )
    counts = reach.astype(np.int64)
    offsets = np.repeat(np.cumsum(counts) - counts, lengths)
    place = offsets + np.concatenate(own).astype(np.int64)
    distinct = len(np.unique(place))
    moved = place_steps(table, np.arange(len(stamps)), place, int(counts.sum()))
    return Timed(moved, counts, len(stamps) - distinct, int(counts.sum()) - distinct)
