"""The time axis of a series: a regular grid where there is one, else one step per row."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tables.times import read_times

KINDS = ("order", "number", "date", "month")
MONTH = (27.9, 31.1)  # days; longer steps are whole months where stamps are dates
TOLERANCE = 0.01  # of a step, by which a stamp may miss the grid
MOST_MISSING = 0.1  # of the grid's stamps; beyond, rows are taken one after the other


@dataclass(frozen=True)
class Axis:
    """How stamps become steps, and steps stamps again.

    Args:
        kind: ``"order"`` (one step per row), ``"number"``, ``"date"`` (steps in days) or ``"month"``.
        step: Size of a step: in the unit of the stamps, in days, or in months.
    """

    kind: str
    step: float = 1.0

    def to_json(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        return asdict(self)

    @property
    def unit(self) -> str | None:
        """What stamps are, ``"dates"`` or ``"numbers"``; ``None`` where they do not matter."""
        return {"month": "dates", "date": "dates", "number": "numbers"}.get(self.kind)

    def places(self, stamps: np.ndarray) -> np.ndarray:
        """Step of every stamp, counted from the first, as numbers that may be beyond those of a grid."""
        if self.kind == "order":
            return np.arange(float(len(stamps)))
        values = _months(stamps) if self.kind == "month" else stamps
        with np.errstate(over="ignore"):
            return np.round((values - values[0]) / self.step)

    def after(self, last: float, steps: int) -> list[Any]:
        """The stamps of the next ``steps`` steps.

        Example:
            >>> Axis("month").after(30.0, 2)  # 31 January 1970
            ['1970-02-28', '1970-03-31']
        """
        ahead = np.arange(1, steps + 1) * self.step
        if self.kind == "month":
            dates = _add_months(_dates(np.array(last)), ahead.astype(np.int64))
        elif self.kind == "date":
            dates = _dates(last + ahead)
        else:
            return [int(v) if float(v).is_integer() else float(v) for v in last + ahead]
        is_midnight = bool((dates == dates.astype("M8[D]")).all())
        shown = dates.astype("M8[D]") if is_midnight else dates
        return [str(date).replace("T", " ") for date in shown]


def read_stamps(
    frame: pd.DataFrame, name: str | None, *, owner: str = "fit"
) -> tuple[np.ndarray, bool]:
    """Read the column of times as numbers (dates as days since 1970), and say whether it holds dates.

    Args:
        frame: The table.
        name: The column; ``None`` takes the rows as they stand.
        owner: Who asks, for messages.
    """
    if name is None:
        return np.arange(1.0, len(frame) + 1), False
    return read_times(frame, name, owner=owner)


def find_axis(stamps: np.ndarray, is_date: bool, notes: list[str]) -> Axis:
    """Find the grid of ascending, distinct stamps; ``notes`` tells where there is none.

    Example:
        >>> find_axis(np.array([0.0, 2.0, 4.0, 6.0]), False, [])
        Axis(kind='number', step=2.0)
        >>> find_axis(np.array([0.0, 31.0, 59.0, 90.0]), True, [])
        Axis(kind='month', step=1.0)
    """
    if len(stamps) < 3:
        return Axis("order")
    gaps = np.diff(stamps)
    step = float(np.median(gaps))
    if is_date and step >= MONTH[0]:
        months = np.diff(_months(stamps))
        size = float(np.median(months))
        days = gaps / np.maximum(months, 1.0)
        fits = ((days > MONTH[0]) & (days < MONTH[1])).all()
        if size >= 1 and fits and (months % size == 0).all() and _is_full(months / size):
            return Axis("month", size)
    multiples = gaps / step
    on_grid = np.abs(multiples - np.round(multiples)) < TOLERANCE * np.maximum(multiples, 1.0)
    if (on_grid & (np.round(multiples) >= 1)).all() and _is_full(np.round(multiples)):
        return Axis("date" if is_date else "number", step)
    notes.append(
        "The times are not regular: rows are taken one after the other, a step each, whatever lies between them."
    )
    return Axis("order")


def _is_full(steps: np.ndarray) -> bool:
    """Whether few stamps are missing, where neighbours lie so many steps apart."""
    return float(steps.sum() - len(steps)) <= MOST_MISSING * max(float(steps.sum()), 1.0)


def _months(days: np.ndarray) -> np.ndarray:
    """Months since 1970."""
    return _dates(days).astype("M8[M]").astype(np.float64)


def _dates(days: np.ndarray) -> np.ndarray:
    """Days since 1970 as dates and times to the second, of any year."""
    return np.rint(days * 86_400.0).astype(np.int64).astype("M8[s]")


def _add_months(date: np.ndarray, months: np.ndarray) -> np.ndarray:
    """The same day and time some months later; the last day of a month that is too short."""
    month = date.astype("M8[M]")
    day = date.astype("M8[D]") - month.astype("M8[D]")
    later = month + months
    longest = (later + 1).astype("M8[D]") - later.astype("M8[D]") - 1
    whole = later.astype("M8[D]") + np.minimum(day, longest)
    return whole.astype("M8[s]") + (date - date.astype("M8[D]"))
