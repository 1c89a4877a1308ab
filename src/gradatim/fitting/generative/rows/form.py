"""The form of a table: its columns in their order, which of them are learned, which repeated and which left out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from gradatim.data.tables.columns import Column, clean, find_columns
from gradatim.errors import InvalidValue, require
from gradatim.fitting.generative.rows.printing import Printing
from gradatim.wording import shorten

FEW_CLASSES = 10
SHOWN = 5  # names in a sentence
_CODE = re.compile(r"0\d+")  # a number that begins with 0 is a name


@dataclass(frozen=True)
class Form:
    """How a table is read and written.

    Args:
        learned: Columns that a generator learns, in order.
        repeated: Columns of one value, with the value.
        order: Names of all columns that are written.
    """

    learned: tuple[Printing, ...]
    repeated: dict[str, str | None]
    order: tuple[str, ...]

    @classmethod
    def learn(
        cls,
        frame: pd.DataFrame,
        dropped: Sequence[str],
        notes: list[str],
        target: str | None = None,
    ) -> "Form":
        """See what the columns of a table are.

        Args:
            frame: Cells as they were read.
            dropped: Columns to leave out.
            notes: Collects what was done.
            target: Of few whole numbers it holds classes.
        """
        kept = frame.drop(columns=list(dropped))
        columns = {c.name: _as_code(kept[c.name], c) for c in find_columns(kept)[0]}
        if target in columns and kept[target].nunique() <= FEW_CLASSES and columns[target].kind == "numeric":  # fmt: skip
            columns[target] = Column(target, "categorical")
        absent = [name for name in kept.columns if name not in columns]
        repeated = {name: _only(kept[name]) for name in absent if kept[name].nunique() <= 1}
        left = [name for name in absent if name not in repeated]
        if repeated:
            notes.append(f"{_named(list(repeated))} repeated in every row: there is one value only.")  # fmt: skip
        if left:
            notes.append(f"{_named(left)} left out: {'it identifies' if len(left) == 1 else 'they identify'} rows.")  # fmt: skip
        if not columns:
            raise InvalidValue(
                "fit: the table must have columns that a generator can learn, and all of them identify rows or hold one value only."
            )
        order = tuple(name for name in kept.columns if name in columns or name in repeated)
        return cls(tuple(Printing.learn(kept[n], columns[n]) for n in order if n in columns), repeated, order)  # fmt: skip

    @property
    def names(self) -> list[str]:
        """Names of the columns that are learned."""
        return [own.column.name for own in self.learned]

    def read(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Columns that are learned, as numbers and categories.

        Args:
            frame: Cells as they were read.
        """
        return pd.DataFrame({own.column.name: own.read(frame[own.column.name]) for own in self.learned})  # fmt: skip

    def settle(self, table: pd.DataFrame) -> pd.DataFrame:
        """Round numbers as the data are.

        Args:
            table: As :meth:`read` gives it.
        """
        return pd.DataFrame({own.column.name: own.settle(table[own.column.name]) for own in self.learned})  # fmt: skip

    def write(self, table: pd.DataFrame) -> pd.DataFrame:
        """Undo :meth:`read`: the whole table as texts, in the order of its columns.

        Args:
            table: As :meth:`read` gives it.
        """
        printed = {own.column.name: own.write(table[own.column.name]) for own in self.learned}
        for name, value in self.repeated.items():
            printed[name] = pd.Series([value] * len(table), index=table.index, dtype=object)
        return pd.DataFrame({name: printed[name] for name in self.order})

    def to_json(self) -> dict[str, Any]:
        """Plain data for a JSON file."""
        return {
            "learned": [own.to_json() for own in self.learned],
            "repeated": self.repeated,
            "order": list(self.order),
        }

    @classmethod
    def from_json(cls, facts: dict[str, Any]) -> "Form":
        """Undo :meth:`to_json`; what it cannot have written is refused.

        Args:
            facts: Plain data.
        """
        learned = tuple(Printing.from_json(own) for own in facts["learned"])
        repeated, order = dict(facts["repeated"]), tuple(facts["order"])
        names = {own.column.name for own in learned} | set(repeated)
        rule = "load_model: the columns of a table must be those that were learned or repeated"
        require(learned and names == set(order) and len(order) == len(set(order)), rule, "others")
        return cls(learned, repeated, order)


def _as_code(cells: pd.Series, column: Column) -> Column:
    """Numbers that begin with zeros, as postal codes do, are names."""
    if column.kind == "boolean" or column.kind == "text":
        return Column(column.name, "categorical")
    if column.kind != "numeric":
        return column
    own = clean(cells).dropna()
    if isinstance(own.dtype, pd.StringDtype) and own.str.fullmatch(_CODE).any():
        return Column(column.name, "categorical")
    return column


def _only(cells: pd.Series) -> str | None:
    """The value of a column that has one at the most."""
    present = clean(cells).dropna()
    return str(present.iloc[0]) if len(present) else None


def _named(names: list[str]) -> str:
    shown = ", ".join(shorten(repr(name), 40) for name in names[:SHOWN])
    more = ", …" if len(names) > SHOWN else ""
    return (
        f"Column {shown} is" if len(names) == 1 else f"{len(names):,} columns ({shown}{more}) are"
    )
