"""What candidates said, in short: which rows, and that files hold it bit by bit."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.fitting.player import Candidate
from gradatim.fitting.told import MOST, Told, draw_places


@given(st.lists(st.integers(1, 40_000), min_size=2, max_size=8), st.integers(0, 5))
def test_all_rows_are_kept_or_a_share_of_every_fold(sizes, seed):
    drawn = [draw_places(n, sum(sizes), seed, k) for k, n in enumerate(sizes)]
    kept = sum(map(len, drawn))
    if sum(sizes) <= MOST:
        assert kept == sum(sizes)
    else:
        assert MOST - len(sizes) <= kept <= MOST
    for n, places in zip(sizes, drawn, strict=True):
        assert len(np.unique(places)) == len(places)
        assert places.size == 0 or (places.min() >= 0 and places.max() < n)


def test_the_draw_is_even_and_fixed():
    first = draw_places(20_000, 40_000, 0, 0)
    np.testing.assert_array_equal(first, draw_places(20_000, 40_000, 0, 0))
    assert set(first) != set(draw_places(20_000, 40_000, 1, 0))
    assert abs(first.mean() - 10_000) < 400  # of the middle


def test_numbers_survive_a_file_bit_by_bit():
    jobs = [(Candidate("a"), 0), (Candidate("b", (3, "x")), 1), (Candidate("c"), 0)]
    told, again = Told(), Told()
    values = [np.array([0.1, np.pi, 1e-320, -0.0]), np.array([1 / 3])]
    for (candidate, k), numbers in zip(jobs[:2], values, strict=True):
        told.put(candidate, k, numbers)
    again.unpack(jobs, json.loads(json.dumps(told.pack(jobs))))
    for (candidate, k), numbers in zip(jobs[:2], values, strict=True):
        assert again.get(candidate, k).tobytes() == numbers.tobytes()
    assert again.get(*jobs[2]) is None


@pytest.mark.parametrize("packed", [{}, {"said": []}, {"value": 3}])
def test_files_of_the_version_before_tell_nothing(packed):
    told = Told()
    told.unpack([(Candidate("a"), 0)], packed)
    assert told.get(Candidate("a"), 0) is None
