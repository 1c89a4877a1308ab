"""Series read from a table: one column or many, or one column with the series' name beside it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import clean, find_column, read_cells, words
from gradatim.data.tables.reading import RawTable
from gradatim.data.tables.targets import check_range
from gradatim.errors import InvalidValue
from gradatim.fitting.series.kind import SeriesOptions
from gradatim.fitting.series.times import Axis, find_axis, read_stamps
from gradatim.fitting.tables.problem import find_name
from gradatim.timeseries import find_season

FOLDS = 5
MOST_MISSING = 0.5  # of a series
MOST_WINDOWS = 5
SHORTEST = 8  # steps to learn from at the least, beside the horizon
ONLY = ""  # name of the series where there is only one


@dataclass(frozen=True)
class Layout:
    """Which columns hold what.

    Args:
        time: Column of times; ``None`` takes the rows in their order.
        values: Columns of values.
        group: Column that names the series of each row, beside one column of values.
    """

    time: str | None
    values: tuple[str, ...]
    group: str | None


@dataclass
class SeriesProblem:
    """Regular series, a horizon and the split.

    Args:
        name: Short name of the table.
        layout: Which columns hold what.
        axis: How stamps become steps.
        horizon: Steps to forecast.
        period: Steps of a season; 1 where there is none.
        series: Values by name.
        last: Stamp of the last step of every series, as a number.
        windows: Forecasts at the end of each series that judge at the end.
        notes: What was done to the data, one sentence each.
    """

    things = "steps"
    name: str
    layout: Layout
    axis: Axis
    horizon: int
    period: int
    series: dict[str, np.ndarray]
    last: dict[str, float]
    windows: int = 1
    notes: list[str] = field(default_factory=list)

    def contents(self) -> Iterator[bytes]:
        """Yield all values."""
        yield repr(sorted(self.series)).encode()
        yield from (values.tobytes() for values in self.series.values())

    @property
    def held_out(self) -> int:
        """Steps at the end of every series that are set aside for the test."""
        return self.windows * self.horizon

    @property
    def steps(self) -> int:
        """Steps of the longest series before the test."""
        return max(map(len, self.series.values())) - self.held_out


def find_layout(frame: pd.DataFrame, job: SeriesOptions) -> Layout:
    """Find the columns of times and values."""
    time = None if job.time_column is None else find_name(frame, job.time_column, "time_column")
    group = None if job.group is None else find_name(frame, job.group, "group")
    if job.target is not None:
        return Layout(time, (find_name(frame, job.target, "target"),), group)
    others = [str(c) for c in frame.columns if c not in (time, group)]
    values = [c for c in others if find_column(frame[c], c).kind in ("numeric", "boolean")]
    if not values or (group is not None and len(values) > 1):
        rule = "name the column of values" if values else "hold numbers"
        raise InvalidValue(
            f"fit: target must {rule}; the columns are {', '.join(others[:8]) or 'none'}. "
            f"Try --target {(values or others or ['value'])[-1]!r}."
        )
    return Layout(time, tuple(values), group)


def read_series(
    frame: pd.DataFrame,
    layout: Layout,
    notes: list[str],
    axis: Axis | None = None,
    *,
    owner: str = "fit",
) -> tuple[Axis, dict[str, np.ndarray], dict[str, float]]:
    """Return the axis, the values of each series on it, and the last stamp of each.

    Args:
        frame: The table.
        layout: Which columns hold what.
        notes: Collects what was done.
        axis: The axis; found from the stamps by default.
        owner: Who asks, for messages.
    """
    stamps, is_date = read_stamps(frame, layout.time, owner=owner)
    parts: list[tuple[str, np.ndarray, np.ndarray]] = []
    for column in layout.values:
        values, unread = read_cells(frame[column], find_column(frame[column], column))
        if not isinstance(values, np.ndarray):
            raise InvalidValue(f"{owner}: target must hold numbers, got words in {column!r}.")
        if unread:
            notes.append(f"Column {column!r}: {unread:,} cells are not numbers and count as missing.")  # fmt: skip
        if layout.group is None:
            parts.append((column if len(layout.values) > 1 else ONLY, stamps, values))
            continue
        codes, names = words(clean(frame[layout.group]))
        parts += [(n, stamps[codes == k], values[codes == k]) for k, n in enumerate(names)]
        if nameless := int((codes < 0).sum()):
            rows = "1 row has" if nameless == 1 else f"{nameless:,} rows have"
            notes.append(f"{rows} no series in {layout.group!r} and {'is' if nameless == 1 else 'are'} left out.")  # fmt: skip
    ordered = [(name, *_sort(s, v, name, notes)) for name, s, v in parts if len(s)]
    if axis is None:
        axis = _shared_axis([s for _, s, _ in ordered], is_date, notes)
    elif layout.time is not None and axis.unit not in (None, "dates" if is_date else "numbers"):
        raise InvalidValue(
            f"{owner}: time_column must hold {axis.unit}, as in training, got {'dates' if is_date else 'numbers'}."
        )
    series, last = {}, {}
    for name, s, v in ordered:
        filled = _fill(axis, s, v, name, notes)
        if filled is not None:
            check_range(filled, name or layout.values[0], owner=owner)
            series[name], last[name] = filled, float(s[-1])
    return axis, series, last


def _shared_axis(stamps: list[np.ndarray], is_date: bool, notes: list[str]) -> Axis:
    """The axis of all series; their order alone where they do not agree on one."""
    own: list[str] = []
    axes = {find_axis(each, is_date, own) for each in stamps}
    notes += own[:1]
    return axes.pop() if len(axes) == 1 else Axis("order")


def _called(name: str) -> str:
    return f"Series {name!r}" if name else "The series"


def _sort(
    stamps: np.ndarray, values: np.ndarray, name: str, notes: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Put rows in the order of time; rows of one time become their mean."""
    distinct, place, counts = np.unique(stamps, return_inverse=True, return_counts=True)
    if len(distinct) == len(stamps):
        order = np.argsort(stamps, kind="stable")
        return stamps[order], values[order]
    is_known = ~np.isnan(values)
    totals = np.bincount(place[is_known], values[is_known], minlength=len(distinct))
    known = np.bincount(place[is_known], minlength=len(distinct))
    repeated = int((counts > 1).sum())
    notes.append(
        f"{_called(name)}: {repeated:,} time{'s' if repeated > 1 else ''} stand{'' if repeated > 1 else 's'} "
        "in several rows, of which the mean is taken."
    )
    return distinct, np.where(known > 0, totals / np.maximum(known, 1), np.nan)


def _fill(
    axis: Axis, stamps: np.ndarray, values: np.ndarray, name: str, notes: list[str]
) -> np.ndarray | None:
    """Put values on the grid and draw lines across what is missing; ``None`` where too much is."""
    places = axis.places(stamps)
    is_sparse = len(stamps) < (1.0 - MOST_MISSING) * (places[-1] + 1.0)  # a grid may be endless
    grid = np.full(1 if is_sparse else int(places[-1]) + 1, np.nan)
    if not is_sparse:
        grid[places.astype(np.int64)] = values
    absent = np.isnan(grid)
    if absent.mean() > MOST_MISSING or np.ptp(grid[~absent]) == 0:
        why = "is missing more than half of its values" if absent.mean() > MOST_MISSING else "never changes"  # fmt: skip
        notes.append(f"{_called(name)} {why} and is left out.")
        return None
    if absent.any():
        known = np.flatnonzero(~absent)
        grid = np.interp(np.arange(len(grid)), known, grid[known])
        notes.append(
            f"{_called(name)}: {int(absent.sum()):,} missing of {len(grid):,} steps lie on a line between "
            "their neighbours."
        )
    return grid


def prepare(raw: RawTable, job: SeriesOptions) -> SeriesProblem:
    """Read the series, find the season, and set the test aside."""
    assert job.forecast is not None
    h, notes = job.forecast, list(raw.notes)
    layout = find_layout(raw.frame, job)
    axis, series, last = read_series(raw.frame, layout, notes)
    needed = 3 * h + SHORTEST
    for name in [n for n, v in series.items() if len(v) < needed]:
        if len(series) > 1:
            notes.append(f"{_called(name)} has only {len(series[name])} steps and is left out.")
            del series[name], last[name]
    if not series:
        raise InvalidValue(
            f"fit: the table must have a series of numbers that change, and has none. {' '.join(notes[-2:])}".strip()
        )
    shortest = min(map(len, series.values()))
    if shortest < needed:
        most = max((shortest - SHORTEST) // 3, 0)
        remedy = f"Try --forecast {most}." if most else "Use a longer series."
        raise InvalidValue(
            f"fit: forecast must leave enough to learn from: {h} steps ahead need a series of {needed} steps, "
            f"got {shortest}. {remedy}"
        )
    share = job.test if isinstance(job.test, float) else 0.2
    windows = int(np.clip(share * shortest // h, 1, MOST_WINDOWS))
    while windows > 1 and shortest - windows * h < 2 * h + SHORTEST:
        windows -= 1
    rest = shortest - windows * h
    stacked = np.stack([v[: len(v) - windows * h][-rest:] for v in series.values()])
    period = find_season(stacked, longest=rest // 3)
    return SeriesProblem(raw.name, layout, axis, h, period, series, last, windows, notes)
