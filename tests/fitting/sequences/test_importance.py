"""Importance finds what a model looks at, and nothing else."""

import numpy as np

from gradatim.fitting.sequences.importance import WINDOWS, exchange, permutation_importance
from gradatim.fitting.sequences.steps import Sequences

RNG = np.random.default_rng(0)
LENGTHS = RNG.integers(20, 40, 80)
SERIES = Sequences(RNG.normal(size=(int(LENGTHS.sum()), 3)), LENGTHS)
STARTS = SERIES.starts


def last_tenth(series):
    """The sum of channel 1 in the last tenth of a series."""
    parts = np.split(series.values[:, 1], series.starts[1:])
    return np.array([p[int(np.ceil(0.9 * len(p))) :].sum() for p in parts])


def test_the_channel_and_the_time_that_count_are_found():
    channels = {"a": np.array([0]), "b": np.array([1]), "c": np.array([2])}
    found, parts = permutation_importance(last_tenth, SERIES, last_tenth(SERIES), 0, channels)
    assert next(iter(found)) == "b"
    assert found["a"] == found["c"] == 0.0
    assert np.argmax(parts) == WINDOWS - 1
    assert max(parts[:-2]) < 1e-9
    assert len(parts) == WINDOWS


def test_no_time_no_figure():
    found, parts = permutation_importance(last_tenth, SERIES, last_tenth(SERIES), 0, {"a": np.array([0])}, is_over=lambda: True)  # fmt: skip
    assert (found, parts) == ({}, [])


def test_a_series_exchanged_with_itself_stays():
    same = exchange(SERIES, np.arange(len(SERIES)), np.arange(3))
    np.testing.assert_array_equal(same.values, SERIES.values)
