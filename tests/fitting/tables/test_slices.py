"""Parts of a table: every row with a value lies in one part of each column, and names say which."""

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data.tables.columns import Column, Levels, read_cells
from gradatim.fitting.tables.slices import slice_rows


def parts(column, cells, rows=None):
    rows = np.arange(len(cells.codes if isinstance(cells, Levels) else cells)) if rows is None else rows  # fmt: skip
    return {name: places.tolist() for name, places in slice_rows([column], {column.name: cells}, rows)}  # fmt: skip


@given(st.lists(st.none() | st.integers(-3, 3), min_size=2, max_size=30))
def test_the_parts_of_a_column_cover_all_rows_once(values):
    cells = np.array([np.nan if v is None else float(v) for v in values])
    found = parts(Column("x", "numeric"), cells)
    if found:
        assert sorted(place for own in found.values() for place in own) == list(range(len(values)))
    else:  # all alike
        assert len(set(values)) == 1 or np.nanmax(cells) == np.nanmedian(cells)
    for name, own in found.items():
        assert name == "x missing" or len({cells[own].max() <= np.nanmedian(cells), "≤" in name}) == 1  # fmt: skip


def test_categories_truths_dates_and_what_is_missing():
    levels = Levels(np.array([0, 1, -1, 0]), ["red", "a, b"])
    assert parts(Column("c", "categorical"), levels) == {"c = red": [0, 3], "c = a, b": [1], "c missing": [2]}  # fmt: skip
    truths = np.array([0.0, 1.0, np.nan, 1.0])
    assert parts(Column("b", "boolean"), truths) == {"b = false": [0], "b = true": [1, 3], "b missing": [2]}  # fmt: skip
    column = Column("d", "date")
    days = read_cells(pd.Series(["2024-01-30", "2024-01-31", "2024-02-29"]), column)[0]
    assert parts(column, days) == {"d ≤ 2024-01-31": [0, 1], "d > 2024-01-31": [2]}
    assert parts(Column("t", "text"), levels) == {"t missing": [2]}


def test_places_count_among_the_rows_that_are_asked_for():
    values = np.array([9.0, 1.0, 9.0, 2.0, 3.0])
    assert parts(Column("x", "numeric"), values, np.array([1, 3, 4])) == {"x ≤ 2": [0, 1], "x > 2": [2]}  # fmt: skip
