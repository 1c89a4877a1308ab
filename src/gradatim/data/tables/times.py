"""A column of times as numbers."""

import numpy as np
import pandas as pd

from gradatim.data.tables.columns import find_column, read_cells
from gradatim.errors import InvalidValue
from gradatim.wording import numbered


def read_times(frame: pd.DataFrame, name: str, *, owner: str = "fit") -> tuple[np.ndarray, bool]:
    """Read times as numbers (dates as days since 1970), and say whether they are dates.

    Args:
        frame: The table.
        name: The column.
        owner: Who asks, for messages.

    Example:
        >>> times, is_date = read_times(pd.DataFrame({"t": ["1970-01-02", "1970-01-05"]}), "t")
        >>> times.tolist(), is_date
        ([1.0, 4.0], True)
    """
    column = find_column(frame[name], name)
    if column.kind not in ("numeric", "date"):
        raise InvalidValue(
            f"{owner}: time_column must hold dates or numbers, got {column.kind} cells in {name!r}. "
            "Write dates as 2024-12-31."
        )
    times, _ = read_cells(frame[name], column)
    assert isinstance(times, np.ndarray)
    if np.isnan(times).any():
        raise InvalidValue(
            f"{owner}: time_column must have a time in every row, got "
            f"{numbered(int(np.isnan(times).sum()), 'rows')} without one in {name!r}. Remove or repair them."
        )
    return times, column.kind == "date"
