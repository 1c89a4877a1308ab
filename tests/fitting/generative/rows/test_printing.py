import pandas as pd
import pytest

from gradatim.data.tables.columns import find_column
from gradatim.fitting.generative.rows.printing import Printing


def learn(*cells, kind=None):
    series = pd.Series(list(cells), dtype="str")
    return series, Printing.learn(series, find_column(series, "x"))


@pytest.mark.parametrize(
    "cells",
    [
        ("1", "20", "-3"),
        ("1.5", "2", "0.25"),
        ("1.50", "2.00", "0.25"),
        ("1,5", "2,25", "-7"),
        ("1,500", "2,250,000", "7"),
        ("2024-01-31", "1999-12-01"),
        ("31.01.2024", "01.12.1999"),
        ("2024-01-31 10:30:05", "1999-12-01 00:00:00"),
        ("2024-01-31 10:30", "1999-12-01 07:45"),
        ("2024-01-31T10:30", "1999-12-01T07:45"),
        ("2024-01-31 10:30:00", "1999-12-01 07:45:00"),
        ("2024-01-31 00:00:00", "1999-12-01 00:00:00"),
        ("2024-01-31T00:00", "1999-12-01T00:00"),
        ("1.875e+00", "-5.166e-01", "2.458e+12"),
        ("yes", "no", "yes"),
        ("Bern", "Genf"),
    ],
    ids=str,
)
def test_cells_are_written_as_they_were_read(cells):
    series, printing = learn(*cells)
    assert printing.write(printing.read(series)).tolist() == list(cells)


def test_numbers_are_rounded_to_the_decimals_of_the_data():
    _, printing = learn("1.5", "2.25")
    assert printing.write(pd.Series([0.12345, 3.0, -0.001])).tolist() == ["0.12", "3", "0"]
    _, whole = learn("1", "2")
    assert whole.write(pd.Series([1.6])).tolist() == ["2"]


def test_missing_cells_stay_empty():
    series, printing = learn("1.5", None, "2")
    assert printing.read(series).isna().tolist() == [False, True, False]
    assert printing.write(printing.read(series)).tolist() == ["1.5", None, "2"]


def test_powers_of_ten_have_the_digits_of_the_data():
    _, printing = learn("1.25e-7", "2.5e3")
    assert printing.decimals is None
    assert printing.write(pd.Series([1.2345e-7, None])).tolist() == ["1.23e-07", None]
    assert printing.settle(pd.Series([1.2345e-7])).tolist() == [1.23e-7]
    _, mixed = learn("1.25e-7", "2.5")
    assert mixed.write(pd.Series([1.2345e-7])).tolist() == ["1.2345e-07"]


def test_dates_are_rounded_to_their_steps():
    _, printing = learn("2024-01-31", "1999-12-01")
    assert printing.write(pd.Series([0.4, 1.6])).tolist() == ["1970-01-01", "1970-01-03"]


def test_floats_of_a_frame_have_their_decimals():
    series = pd.Series([1.5, 2.0, 3.25])
    printing = Printing.learn(series, find_column(series, "x"))
    assert printing.decimals == 2
    assert printing.write(series).tolist() == ["1.5", "2", "3.25"]


def test_plain_data_and_back():
    _, printing = learn("1,50", "2,25")
    assert Printing.from_json(printing.to_json()) == printing
