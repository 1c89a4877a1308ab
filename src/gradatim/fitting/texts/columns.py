"""The other columns of a table of texts: prepared as for tables, and their share in a linear model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import Column
from gradatim.fitting.tables.preprocessing import (
    Preprocessing,
    fit_preprocessing,
    from_json,
    take_rows,
)

Table = Mapping[str, Any]  # cells by the name of their column
JOINT = "\n\n"  # between the texts of a row
LARGEST = 10.0  # standard deviations that a number of a column counts at most


class TableColumns(NamedTuple):
    """Columns that are read beside the texts.

    Args:
        columns: Their names and types.
        cells: Their cells, all rows.
    """

    columns: list[Column]
    cells: Table

    def learn(self, rows: np.ndarray) -> tuple[Preprocessing, np.ndarray]:
        """Learn the preparation from some rows, and return it with their features ``(N, features)``."""
        prepared = fit_preprocessing(self.cells, self.columns, rows)
        return prepared, features_of(prepared, self.take(rows))

    def take(self, rows: np.ndarray) -> Table:
        """The cells of some rows."""
        return take_rows(self.cells, rows)


def features_of(prepared: Preprocessing, table: Table) -> np.ndarray:
    """Features of cells, held within ten standard deviations."""
    return np.clip(prepared.transform(table), -LARGEST, LARGEST)


@dataclass(eq=False)
class ColumnPart:
    """What the columns add to the logits of a linear model.

    Args:
        preprocessing: From cells to features.
        weight: Shape ``(outputs, features)``.
    """

    preprocessing: Preprocessing
    weight: np.ndarray

    def logits(self, table: Table) -> np.ndarray:
        """The share of the columns, shape ``(N, outputs)``."""
        return features_of(self.preprocessing, table) @ self.weight.T


def restore_part(facts: Mapping[str, Any], weight: np.ndarray | None) -> ColumnPart | None:
    """The part that was stored, if one was."""
    stored = facts.get("preprocessing")
    return None if stored is None or weight is None else ColumnPart(from_json(stored), weight)


def join_texts(frame: pd.DataFrame, names: Sequence[str]) -> pd.Series:
    """The texts of a row as one, a blank line between them; missing where all of them are.

    Example:
        >>> join_texts(pd.DataFrame({"a": ["x", None], "b": ["y", None]}), ["a", "b"]).tolist()
        ['x\\n\\ny', nan]
    """
    if len(names) == 1:
        return frame[names[0]]
    cells = frame[list(names)]
    joined = [JOINT.join(str(cell) for cell in row if not pd.isna(cell)) for row in cells.itertuples(index=False)]  # fmt: skip
    return pd.Series(joined, index=frame.index, dtype=object).where(cells.notna().any(axis=1))
