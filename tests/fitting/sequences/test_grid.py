"""Times of steps: what is missing is filled in, what is there twice is one, and what is irregular is said."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.sequences.grid import find_grid, to_grid
from gradatim.fitting.series.times import Axis


def test_a_grid_is_that_of_every_series():
    stamps = np.array([0.0, 0.5, 1.0, 2.0, 10.0, 10.5])
    assert find_grid(stamps, np.array([4, 2]), False) == Axis("number", 0.5)
    assert find_grid(np.array([0.0, 0.5, 1.0, 1.5, 10.0, 10.3]), np.array([4, 2]), False) is None
    assert find_grid(np.array([0.0, 1.0]), np.array([2]), False) is None  # two say nothing
    far = np.array([0.0, 1.0, 2.0, 3.0, 1e6])
    assert find_grid(far, np.array([5]), False) is None  # too much would be missing


def test_missing_steps_are_there_and_empty():
    table = {"x": np.array([1.0, 2.0, 4.0, 7.0])}
    found = to_grid(table, np.array([3, 1]), np.array([5.0, 6.0, 8.0, 0.0]), Axis("number", 1.0), "t")  # fmt: skip
    np.testing.assert_array_equal(found.table["x"], [1, 2, np.nan, 4, 7])
    assert (found.lengths.tolist(), found.merged, found.added) == ([4, 1], 0, 1)


def test_steps_of_one_time_are_one():
    table = {"x": np.array([1.0, 3.0, 5.0, 9.0])}
    stamps, lengths = np.array([0.0, 0.0, 1.0, 1.0]), np.array([3, 1])
    for axis in (Axis("number", 1.0), None):
        found = to_grid(table, lengths, stamps, axis, "t")
        np.testing.assert_array_equal(found.table["x"], [2, 5, 9])
        assert (found.lengths.tolist(), found.merged, found.added) == ([2, 1], 1, 0)


def test_irregular_times_become_a_column():
    stamps = np.array([0.0, 1.0, 5.5, 3.0, 3.25])
    found = to_grid({"x": np.arange(5.0)}, np.array([3, 2]), stamps, None, "t")
    np.testing.assert_allclose(found.table["t since the step before"], [0, 1, 4.5, 0, 0.25])
    np.testing.assert_array_equal(found.table["x"], np.arange(5.0))


def test_a_time_far_away_is_refused_rather_than_filled():
    with pytest.raises(InvalidValue, match=r"predict: times must lie about 1 apart, .* got 2 rows over 1e\+12 steps"):  # fmt: skip
        to_grid({"x": np.zeros(2)}, np.array([2]), np.array([0.0, 1e12]), Axis("number", 1.0), "t", owner="predict")  # fmt: skip
