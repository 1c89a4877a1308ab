"""Cover's count against Pascal's recursion, brute force and enumeration."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.linear.counting import cover_count, dichotomies


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(2, 30))
def test_recursion_and_limits(n, d):
    assert cover_count(n + 1, d) == cover_count(n, d) + cover_count(n, d - 1)
    assert cover_count(1, d) == 2
    assert cover_count(n, 1) == 2
    assert cover_count(2 * d, d) == 2 ** (2 * d - 1)  # half of all labelings at n = 2d
    if n <= d:
        assert cover_count(n, d) == 2**n


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 2), (5, 2), (6, 3), (7, 3), (6, 4)])
def test_random_points_have_as_many_dichotomies(n, d):
    points = np.random.default_rng(10 * n + d).normal(size=(n, d))
    found = dichotomies(points)
    assert len(found) == len({tuple(row) for row in found.tolist()}) == cover_count(n, d)


def test_dichotomies_are_those_of_random_hyperplanes():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(6, 2))
    sampled = np.sign(points @ rng.normal(size=(2, 20_000))).T
    assert {tuple(t) for t in dichotomies(points).tolist()} == {tuple(t) for t in sampled.tolist()}


@pytest.mark.parametrize(("inputs", "count"), [(1, 4), (2, 14), (3, 104)])
def test_threshold_functions_of_few_inputs(inputs, count):
    corners = np.array(list(product([0, 1], repeat=inputs)))
    with_constant = np.column_stack([corners, np.ones(len(corners))])
    assert len(dichotomies(with_constant)) == count  # known sequence 4, 14, 104, 1882, ...


def test_degenerate_points():
    assert len(dichotomies([[0.0, 0.0]])) == 0  # no hyperplane has the origin on a side
    assert len(dichotomies([[1.0], [0.0]])) == 0
    assert dichotomies([[1.0, 1.0], [2.0, 2.0]]).tolist() == [[1, 1], [-1, -1]]


def test_bad_input_is_refused():
    with pytest.raises(InvalidValue, match="cover_count: n and d must be at least 1, got n=0, d=2"):
        cover_count(0, 2)
    with pytest.raises(InvalidValue, match=r"dichotomies: points must have shape \(n, d\)"):
        dichotomies([1.0, 2.0])
