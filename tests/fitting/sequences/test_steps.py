"""Steps end to end, against the plain loop over series."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.data.tables.columns import Levels
from gradatim.fitting.sequences.steps import (
    Sequences,
    carry_on,
    fill_cells,
    fill_gaps,
    place_steps,
    step_rows,
)

LENGTHS = st.lists(st.integers(1, 7), min_size=1, max_size=6).map(np.array)


def make(lengths, seed=0, width=2):
    values = np.random.default_rng(seed).normal(size=(int(lengths.sum()), width)).astype(np.float32)
    return Sequences(values, lengths), np.split(values, np.cumsum(lengths)[:-1])


@given(LENGTHS, st.integers(0, 100))
def test_series_are_taken_padded_and_averaged_one_by_one(lengths, seed):
    series, parts = make(lengths, seed)
    rows = np.random.default_rng(seed).permutation(len(lengths))[: seed % len(lengths) + 1]
    taken = series.take(rows)
    np.testing.assert_array_equal(taken.values, np.concatenate([parts[k] for k in rows]))
    batch = series.padded(9)
    size = seed % 3 + 1
    means = np.split(series.averaged(size).values, np.cumsum(series.averaged(size).lengths)[:-1])
    for k, part in enumerate(parts):
        np.testing.assert_array_equal(batch[k, : len(part)], part)
        assert not batch[k, len(part) :].any()
        slow = [part[t : t + size].mean(0) for t in range(0, len(part), size)]
        np.testing.assert_allclose(means[k], slow, rtol=1e-5, atol=1e-6)


@given(LENGTHS, st.integers(0, 100))
def test_gaps_lie_on_a_line_within_their_series(lengths, seed):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=int(lengths.sum()))
    values[rng.random(len(values)) < 0.5] = np.nan
    filled = fill_gaps(values, lengths)
    for part, found in zip(*(np.split(v, np.cumsum(lengths)[:-1]) for v in (values, filled)), strict=True):  # fmt: skip
        there = np.flatnonzero(~np.isnan(part))
        if not len(there):
            assert np.isnan(found).all()
            continue
        np.testing.assert_allclose(found, np.interp(np.arange(len(part)), there, part[there]))


@given(LENGTHS, st.integers(0, 100))
def test_categories_go_on_within_their_series(lengths, seed):
    codes = np.random.default_rng(seed).integers(-1, 3, int(lengths.sum()))
    found = carry_on(codes, lengths)
    for part, own in zip(*(np.split(c, np.cumsum(lengths)[:-1]) for c in (codes, found)), strict=True):  # fmt: skip
        last = next((c for c in part if c >= 0), -1)
        for code, carried in zip(part, own, strict=True):
            last = code if code >= 0 else last
            assert carried == last


def test_cells_of_one_place_become_one():
    table = {"x": np.array([1.0, 3.0, np.nan, 5.0]), "c": Levels(np.array([1, 0, 0, -1]), ["a", "b"])}  # fmt: skip
    found = place_steps(table, np.arange(4), np.array([0, 0, 2, 3]), 4)
    np.testing.assert_array_equal(found["x"], [2.0, np.nan, np.nan, 5.0])
    assert found["c"].codes.tolist() == [1, -1, 0, -1]
    filled = fill_cells(found, np.array([4]))
    np.testing.assert_allclose(filled["x"], [2, 3, 4, 5])
    assert filled["c"].codes.tolist() == [1, 1, 0, 0]


def test_what_never_changes_stands_apart():
    series = Sequences(np.array([[1, 9], [2, 9], [3, 7]], np.float32), np.array([2, 1]), num_static=1)  # fmt: skip
    assert series.num_moving == 1
    assert series.static.tolist() == [[9], [7]]
    assert series.take(np.array([1])).static.tolist() == [[7]]


@pytest.mark.parametrize("rows", [[], [1], [2, 0, 1]])
def test_rows_of_steps(rows):
    lengths = np.array([2, 1, 3])
    places = [[0, 1], [2], [3, 4, 5]]
    assert step_rows(lengths, np.array(rows, int)).tolist() == [p for k in rows for p in places[k]]
