"""Series read from tables: order, groups, gaps and repeats."""

import numpy as np
import pandas as pd
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.anomalies.steps import Layout, find_channels, read_steps

FRAME = pd.DataFrame(
    {
        "t": [3, 1, 2, 2, 1, 3],
        "machine": ["b", "b", "b", "a", "a", None],
        "x": [30.0, 10.0, np.nan, 2.0, 1.0, 9.0],
    }
)


def test_steps_are_in_order_of_series_and_time():
    notes = []
    steps = read_steps(FRAME, Layout("t", ("x",), "machine"), notes)
    assert steps.rows.tolist() == [4, 3, 1, 2, 0]
    assert steps.values[:, 0].tolist() == [1.0, 2.0, 10.0, 20.0, 30.0]  # a line across the gap
    assert steps.series.tolist() == [0, 0, 1, 1, 1]
    assert steps.place.tolist() == [0, 1, 0, 1, 2]
    assert steps.lengths.tolist() == [2, 3]
    assert steps.stamps == ["1", "2", "1", "2", "3"]
    assert notes == ["1 of 6 rows have no series in 'machine' and are left out."]


def test_many_times_that_repeat_are_several_series():
    with pytest.raises(InvalidValue, match=r"got 3 rows with the time of another in 't'\. Name the column of the series with --group\."):  # fmt: skip
        read_steps(FRAME, Layout("t", ("x",), None), [])


def test_a_few_repeats_and_steps_of_any_size_are_told():
    t = [*range(30), 29, 77]
    notes = []
    steps = read_steps(pd.DataFrame({"t": t, "x": np.arange(32.0)}), Layout("t", ("x",), None), notes)  # fmt: skip
    assert steps.values[:, 0].tolist() == list(range(32))
    assert notes[0] == "1 row has the time of another and counts as the next step."
    assert notes[1].startswith("The times are not regular")


def test_channels_are_columns_of_numbers_that_change():
    frame = pd.DataFrame({"x": [1, 2], "w": ["a", "b"], "k": [1, 1], "g": [None, None], "b": ["yes", "no"]})  # fmt: skip
    notes = []
    assert find_channels(frame, list(frame.columns), notes) == ("x", "b")
    assert len(notes) == 3
    with pytest.raises(InvalidValue, match=r"must have a column of numbers that change, and have none\. Column 'w'"):  # fmt: skip
        find_channels(frame, ["w", "k"], [])


def test_a_series_without_numbers_is_refused():
    frame = FRAME.assign(x=[1.0, 1.0, 2.0, np.nan, np.nan, 1.0])
    with pytest.raises(InvalidValue, match="every series must have numbers in 'x', got one without any"):  # fmt: skip
        read_steps(frame, Layout("t", ("x",), "machine"), [])
