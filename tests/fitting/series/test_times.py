import datetime

import numpy as np
import pandas as pd
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.series.times import Axis, find_axis, read_stamps


def days(dates):
    return (pd.DatetimeIndex(dates) - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)


@pytest.mark.parametrize(
    ("dates", "expected"),
    [
        (pd.date_range("2020-01-31", periods=30, freq="ME"), Axis("month", 1.0)),
        (pd.date_range("2020-01-01", periods=20, freq="QS"), Axis("month", 3.0)),
        (pd.date_range("1990-07-01", periods=20, freq="YS"), Axis("month", 12.0)),
        (pd.date_range("2020-01-01", periods=50, freq="D"), Axis("date", 1.0)),
        (pd.date_range("2020-01-05", periods=50, freq="W"), Axis("date", 7.0)),
        (pd.date_range("2020-01-01", periods=50, freq="h"), Axis("date", 1 / 24)),
    ],
)
def test_calendars(dates, expected):
    notes = []
    found = find_axis(days(dates).to_numpy(), True, notes)
    assert (found.kind, notes) == (expected.kind, [])
    assert found.step == pytest.approx(expected.step)
    last = days(dates).to_numpy()
    ahead = pd.DatetimeIndex(found.after(last[-2], 1))
    assert abs(ahead[0] - dates[-1]) <= pd.Timedelta(days=3 if found.kind == "month" else 0)
    assert found.places(last).tolist() == list(range(len(dates)))


def test_gaps_stay_on_the_grid():
    stamps = np.delete(np.arange(0.0, 40.0, 2.0), [5])
    axis = find_axis(stamps, False, [])
    assert axis == Axis("number", 2.0)
    assert axis.places(stamps)[4:6].tolist() == [4, 6]


@pytest.mark.parametrize("stamps", [np.array([0.0, 1.0, 2.5, 7.0, 7.2, 9.0]), days(pd.bdate_range("2020-01-01", periods=40)).to_numpy()])  # fmt: skip
def test_irregular_times_are_taken_in_order(stamps):
    notes = []
    assert find_axis(stamps, False, notes) == Axis("order")
    assert "not regular" in notes[0]


def test_numbers_go_on():
    assert Axis("number", 0.5).after(2.0, 3) == [2.5, 3, 3.5]


def test_bad_times_are_refused():
    with pytest.raises(InvalidValue, match="time_column must hold dates or numbers, got categorical"):  # fmt: skip
        read_stamps(pd.DataFrame({"t": ["a", "b", "c"] * 5}), "t")
    with pytest.raises(InvalidValue, match="got 1 row without one in 't'"):
        read_stamps(pd.DataFrame({"t": [1.5, None, 3.5]}), "t")


@pytest.mark.parametrize("year", [1, 1000, 1676, 2263, 9990])
def test_calendars_of_any_age(year):
    frame = pd.DataFrame({"t": [f"{year + k // 12:04}-{k % 12 + 1:02}-28" for k in range(36)]})
    stamps, is_date = read_stamps(frame, "t")
    axis = find_axis(stamps, is_date, [])
    assert axis == Axis("month", 1.0)
    assert axis.after(stamps[-2], 1) == [frame["t"].iloc[-1]]
    gaps = [date.toordinal() for date in map(datetime.date.fromisoformat, frame["t"])]
    assert np.diff(stamps).tolist() == np.diff(gaps).tolist()


def test_one_stamp_out_of_reach_makes_no_grid():
    days = [*pd.date_range("2000-01-01", periods=30, freq="MS").strftime("%Y-%m-%d"), "9999-12-01"]
    stamps, is_date = read_stamps(pd.DataFrame({"t": days}), "t")
    assert find_axis(stamps, is_date, []) == Axis("order")
