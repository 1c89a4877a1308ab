import numpy as np
import pandas as pd
import pytest

from gradatim.data.tables.columns import Column, Levels, find_column, find_columns, read_cells
from gradatim.errors import InvalidValue
from gradatim.fitting.tables.preprocessing import fit_preprocessing, from_json, read_columns

KINDS = {
    "numeric": [["1", "2.5", None], [1, 2, 3], [1.5, np.nan], ["-1e3", " 7 ", "?"], ["1.000,5", "2,5"], ["1,500", "2,000,000.5", "3"]],
    "boolean": [["yes", "No", None], [True, False], ["true", "FALSE"], ["y", "n"], [True, None]],
    "date": [["2024-01-31", "2024-02-29"], ["31.12.2023", "1.1.2024"], ["12/31/2023", "01/02/2024"], ["2024-01-01T10:00:00", None], ["5 Mar 2024", "17 Apr 2024"], pd.date_range("2024", periods=2)],
    "categorical": [["a", "b"], ["1a", "2b"], ["yes", "no", "maybe"], ["1", "2", "x", "y"]],
}  # fmt: skip


@pytest.mark.parametrize(("kind", "cells"), [(k, c) for k, cells in KINDS.items() for c in cells])
def test_kinds_are_found(kind, cells):
    assert find_column(pd.Series(cells), "x").kind == kind


def test_cells_are_read_by_their_kind():
    def read(cells, kind, **settings):
        return read_cells(pd.Series(cells), Column("x", kind, **settings))

    values, bad = read(["1", "x", None, "inf"], "numeric")
    np.testing.assert_array_equal(values, [1, np.nan, np.nan, np.nan])
    assert bad == 2
    assert read(["1.234,5"], "numeric", comma="decimal")[0] == 1234.5
    assert read(["1,234.5"], "numeric", comma="thousands")[0] == 1234.5
    values, bad = read(["Yes", "n", "perhaps", "1"], "boolean")
    np.testing.assert_array_equal(values, [1, 0, np.nan, 1])
    assert bad == 1
    values, bad = read(["1970-01-02", "1970-01-03T12:00:00", "never"], "date")
    np.testing.assert_array_equal(values, [1.0, 2.5, np.nan])
    assert bad == 1


@pytest.mark.parametrize(
    "cells", [[3, 1, 3], [3.0, 1.0, 3.0], ["3", " 1", "3"], pd.Categorical([3, 1, 3])]
)
def test_a_category_has_one_spelling(cells):
    levels, _ = read_cells(pd.Series(cells), Column("x", "categorical"))
    assert isinstance(levels, Levels)
    assert [levels.names[k] for k in levels.codes] == ["3", "1", "3"]


def test_identifiers_and_constants_are_left_out_with_a_word():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "n": np.arange(100)[::-1] + 7,
            "user_id": rng.permutation(10**6)[:100],
            "code": [f"c{k}" for k in range(100)],
            "same": 1.5,
            "never": None,
            "age": rng.permutation(1000)[:100],
            "good": rng.normal(size=100),
            "half": [None, "there"] * 50,
        }
    )
    columns, notes = find_columns(frame)
    assert [c.name for c in columns] == ["age", "good", "half"]
    assert notes == [
        "Column 'n' is left out: it numbers the rows.",
        "Column 'user_id' is left out: it numbers the rows.",
        "Column 'code' is left out: 100 different texts in 100 rows identify rows.",
        "Column 'same' is left out: it has one value only.",
        "Column 'never' is left out: it has no value at all.",
    ]


def test_many_columns_of_one_reason_share_a_sentence():
    frame = pd.DataFrame(
        {f"c{k}": 1 for k in range(10)} | {"x": np.arange(40.0) % 7, "n": range(40)}
    )
    for k in range(3):
        frame[f"t{k}"] = [f"{k} {row}" for row in range(40)]
    columns, notes = find_columns(frame)
    assert [c.name for c in columns] == ["x"]
    assert notes == [
        "10 columns are left out ('c0', 'c1', 'c2', 'c3', 'c4', …): each has one value only.",
        "Column 'n' is left out: it numbers the rows.",
        "3 columns are left out ('t0', 't1', 't2'): their texts identify rows.",
    ]


def table():
    cells = Levels(np.array([0, 0, 0, 1, 1, 1, 2, -1]), ["a", "b", "c"])
    return {"x": np.array([0.0, 2, 4, np.nan, 2, 2, 2, 1e9]), "k": cells}


COLUMNS = [Column("x", "numeric"), Column("k", "categorical")]


def test_preprocessing_by_hand():
    rows = np.arange(7)
    p = fit_preprocessing(table(), COLUMNS, rows)
    assert p.names == ["x", "x is missing", "k = a", "k = b", "k = other"]
    X = p.transform(table())
    scale = np.sqrt(8 / 6)
    np.testing.assert_allclose(X[:4, 0], [-2 / scale, 0, 2 / scale, 0])
    assert X[7, 0] == 10.0  # far off, and limited
    assert X[:, 1].tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
    assert X[[0, 3, 6, 7], 2:].tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_preprocessing_knows_nothing_of_other_rows():
    rows, other = np.arange(6), table()
    other["x"][6:] = -1e30
    other["k"] = Levels(np.array([0, 0, 0, 1, 1, 1, 3, 3]), ["a", "b", "c", "new"])
    a, b = fit_preprocessing(table(), COLUMNS, rows), fit_preprocessing(other, COLUMNS, rows)
    assert a == b


def test_preprocessing_survives_json():
    import json

    p = fit_preprocessing(table(), COLUMNS, np.arange(8))
    again = from_json(json.loads(json.dumps(p.to_json())))
    assert again == p
    np.testing.assert_array_equal(again.transform(table()), p.transform(table()))


def test_dates_turn_with_the_year_and_the_week():
    days = np.array([0.0, 365.2425, 7.0])
    p = fit_preprocessing({"d": days}, [Column("d", "date")], np.arange(3))
    assert p.names[1:] == ["d: sine of year", "d: cosine of year", "d: sine of week", "d: cosine of week", "d: sine of day", "d: cosine of day"]  # fmt: skip
    X = p.transform({"d": days})
    np.testing.assert_allclose(X[0, 1:3], X[1, 1:3], atol=1e-9)
    np.testing.assert_allclose(X[0, 3:5], X[2, 3:5], atol=1e-9)


def test_missing_columns_are_named_with_the_nearest():
    frame = pd.DataFrame({"X": [1], "k": ["a"]})
    message = "predict: the table must have the column 'x', and has not. The nearest column is 'X'."
    with pytest.raises(InvalidValue, match=message):
        read_columns(frame, COLUMNS)
