"""Parts of a table by what stands in a column: halves of numbers and dates, categories, what is missing."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from gradatim.data.tables.columns import Cells, Column, Levels
from gradatim.reports.values import format_value


def slice_rows(
    columns: Sequence[Column], table: Mapping[str, Cells], rows: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name of each part, and the places of its rows among ``rows``; texts have no parts.

    Args:
        columns: Columns of the table.
        table: Their cells.
        rows: The rows to part.

    Example:
        >>> table = {"size": np.array([1.0, 2.0, 3.0, np.nan])}
        >>> for name, places in slice_rows([Column("size", "numeric")], table, np.arange(4)):
        ...     print(name, places)
        size ≤ 2 [0 1]
        size > 2 [2]
        size missing [3]
    """
    for column in columns:
        for words, is_in in _parts(column, table[column.name], rows):
            if 0 < is_in.sum() < len(rows):
                yield f"{column.name} {words}", np.flatnonzero(is_in)


def _parts(column: Column, cells: Cells, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    if isinstance(cells, Levels):
        codes = cells.codes[rows]
        if column.kind == "categorical":
            yield from ((f"= {cells.names[k]}", codes == k) for k in np.unique(codes) if k >= 0)
        yield "missing", codes < 0
        return
    values = cells[rows]
    is_missing = np.isnan(values)
    if column.kind == "boolean":
        yield from ((f"= {word}", values == k) for k, word in enumerate(("false", "true")))
    elif not is_missing.all():
        # a value of the column: the mean of two huge ones may be none
        middle = float(np.quantile(values[~is_missing], 0.5, method="lower"))
        is_date = column.kind == "date"
        end = str(np.datetime64(int(middle), "D")) if is_date else format_value(middle)
        yield f"≤ {end}", values <= middle
        yield f"> {end}", values > middle
    yield "missing", is_missing
