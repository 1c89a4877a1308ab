"""How the cells of a column are written: as many decimals as in the data, dates in their format, categories as they are."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Column, clean, read_cells, words

MOST_DECIMALS = 12  # past which numbers are written as they are
STEPS = (1.0, 24.0, 1440.0, 86_400.0)  # of a day: days, hours, minutes, seconds
ISO = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S")


@dataclass(frozen=True)
class Printing:
    """A column of the table, how it is read and written.

    Args:
        column: Name, kind and how its cells are read.
        decimals: Of its numbers; ``None`` writes them as they are.
        is_padded: Whether numbers end with zeros, so that all have equally many decimals.
        per_day: Steps of its dates, such as 24 for hours.
        date_format: How its dates are written.
        digits: That count, where all its numbers are written with a power of ten; ``None`` elsewhere.
    """

    column: Column
    decimals: int | None = None
    is_padded: bool = False
    per_day: float = 1.0
    date_format: str = ""
    digits: int | None = None

    @classmethod
    def learn(cls, cells: pd.Series, column: Column) -> "Printing":
        """See how a column is written.

        Args:
            cells: As they were read, before they have types.
            column: What they are.

        Example:
            >>> Printing.learn(pd.Series(["1.50", "2.25"]), Column("x", "numeric"))
            Printing(column=Column(name='x', kind='numeric', comma='', date_format='ISO8601'), decimals=2, is_padded=True, per_day=1.0, date_format='', digits=None)
        """
        if column.kind == "numeric":
            return cls(column, *_decimals(clean(cells), column), digits=_digits(clean(cells)))
        if column.kind == "date":
            days, _ = read_cells(cells, column)
            assert isinstance(days, np.ndarray)
            present = days[np.isfinite(days)]
            step = next((k for k, s in enumerate(STEPS) if np.allclose(present * s, np.round(present * s), rtol=0, atol=1e-4)), 3)  # fmt: skip
            is_iso = column.date_format == "ISO8601"
            return cls(column, per_day=STEPS[step], date_format=_iso_form(cells, step) if is_iso else column.date_format)  # fmt: skip
        return cls(column)

    def read(self, cells: pd.Series) -> pd.Series:
        """Cells as numbers (dates as days since 1970) or as texts, missing ones as such.

        Args:
            cells: As they were read.
        """
        if self.is_number:
            values, _ = read_cells(cells, self.column)
            return pd.Series(np.asarray(values), index=cells.index)
        levels = words(clean(cells))
        names = np.array([*levels.names, None], dtype=object)
        return pd.Series(names[levels.codes], index=cells.index, dtype=object)

    @property
    def is_number(self) -> bool:
        """Whether cells are numbers or dates."""
        return self.column.kind in ("numeric", "date")

    def settle(self, values: pd.Series) -> pd.Series:
        """Round numbers to the decimals of the data, and dates to their steps.

        Args:
            values: As :meth:`read` gives them.
        """
        if self.digits is not None:
            return pd.Series([float(f"{value:.{self.digits - 1}e}") for value in values], index=values.index, dtype=np.float64)  # fmt: skip
        if self.column.kind == "numeric" and self.decimals is not None:
            return values.round(self.decimals) + 0.0
        if self.column.kind == "date":
            return (values * self.per_day).round() / self.per_day
        return values

    def write(self, values: pd.Series) -> pd.Series:
        """Undo :meth:`read`: cells as texts, an empty one as missing.

        Args:
            values: As :meth:`read` gives them.

        Example:
            >>> Printing(Column("x", "numeric", "decimal"), 1).write(pd.Series([1.0, 2.5, None])).tolist()
            ['1', '2,5', None]
        """
        if not self.is_number:
            return values
        texts = [None if value != value else self._text(value) for value in self.settle(values).tolist()]  # fmt: skip
        return pd.Series(texts, index=values.index, dtype=object)

    def _text(self, value: float) -> str:
        if self.column.kind == "date":
            moment = pd.Timestamp(0) + pd.Timedelta(seconds=round(value * 86_400))
            return moment.strftime(self.date_format)
        if self.digits is not None:
            text = f"{value:.{self.digits - 1}e}"
        elif self.decimals is None:
            text = repr(value)
        else:
            text = f"{value:,.{self.decimals}f}" if self.column.comma == "thousands" else f"{value:.{self.decimals}f}"  # fmt: skip
            if not self.is_padded and "." in text:
                text = text.rstrip("0").rstrip(".")
        return text.replace(".", ",") if self.column.comma == "decimal" else text

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return asdict(self)

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> "Printing":
        """Undo :meth:`to_json`.

        Args:
            facts: Plain data.
        """
        return cls(**{**facts, "column": Column(**facts["column"])})


def _iso_form(cells: pd.Series, step: int) -> str:
    """How dates are written that begin with the year: as the cells are, or by their steps where they are no texts."""
    present = clean(cells).dropna()
    if not isinstance(present.dtype, pd.StringDtype):
        return ISO[step]
    for k, clock in ((3, r"\d:\d\d:\d\d"), (2, r"\d:\d\d")):
        if present.str.contains(clock).any():
            step = max(step, k)
            break
    return ISO[step].replace(" ", "T") if present.str.contains(r"\dT\d").all() else ISO[step]


def _digits(cells: pd.Series) -> int | None:
    """Digits of numbers that are all written with a power of ten."""
    present = cells.dropna()
    if not len(present) or not isinstance(present.dtype, pd.StringDtype):
        return None
    found = present.str.extract(r"^[+-]?(\d)(?:[.,](\d*))?[eE][+-]?\d+$")
    if found[0].isna().any():
        return None
    return min(int(found[1].str.len().fillna(0).max()) + 1, MOST_DECIMALS)


def _decimals(cells: pd.Series, column: Column) -> tuple[int | None, bool]:
    """Decimals of numbers, and whether all cells have equally many."""
    present = cells.dropna()
    texts = present.astype(str) if not isinstance(present.dtype, pd.StringDtype) else present
    if not isinstance(present.dtype, pd.StringDtype):
        texts = texts.str.replace(r"\.0$", "", regex=True)
    if texts.str.contains("e", case=False, regex=False).any():
        return None, False
    point = "," if column.comma == "decimal" else "."
    found = texts.str.extract(rf"\{point}(\d*)$", expand=False).str.len().fillna(0).astype(int)
    most = int(found.max()) if len(found) else 0
    is_padded = most > 0 and bool((found == most).all()) and len(found) > 1 and bool(texts.str.endswith("0").any())  # fmt: skip
    return (None, False) if most > MOST_DECIMALS else (most, is_padded)
