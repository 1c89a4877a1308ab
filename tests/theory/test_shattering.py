import math
from itertools import product

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.theory import growth_function, labelings, shatters, vc_dimension


def points(n, dim, seed=0):
    return np.random.default_rng(seed).normal(size=(n, dim))


def as_set(rows):
    return {tuple(row) for row in np.asarray(rows, dtype=bool)}


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8])
@pytest.mark.parametrize("family", ["thresholds", "intervals", "half-spaces"])
def test_points_in_general_position_have_as_many_labelings_as_any(family, n):
    for dim in (1,) if family != "half-spaces" else (1, 2, 3):
        found = labelings(family, points(n, dim))
        assert len(as_set(found)) == len(found) == growth_function(family, n, dim=dim)


def test_a_fine_grid_of_members_makes_no_other_labelings():
    x = points(5, 2)
    grid = np.linspace(-3, 3, 25)
    seen = {
        tuple((a < x[:, 0]) & (x[:, 0] < b) & (c < x[:, 1]) & (x[:, 1] < d))
        for a, b, c, d in product(grid, repeat=4)
    }
    assert seen <= as_set(labelings("rectangles", x))
    line = x[:, 0]
    assert {tuple(line > t) for t in grid} <= as_set(labelings("thresholds", line))
    assert {tuple((a < line) & (line < b)) for a in grid for b in grid} <= as_set(
        labelings("intervals", line)
    )


@pytest.mark.parametrize(
    ("family", "dim"),
    [("thresholds", 1), ("intervals", 1), ("half-spaces", 1), ("half-spaces", 2), ("half-spaces", 3), ("rectangles", 1), ("rectangles", 2)],
)  # fmt: skip
def test_the_dimension_is_where_growth_leaves_two_to_the_n(family, dim):
    d = vc_dimension(family, dim=dim)
    assert growth_function(family, d, dim=dim) == 2**d
    assert growth_function(family, d + 1, dim=dim) < 2 ** (d + 1)


@pytest.mark.parametrize(("family", "dim"), [("intervals", 1), ("half-spaces", 2), ("rectangles", 2)])  # fmt: skip
def test_sauer(family, dim):
    """Growth is at most Σ_{i ≤ d} C(n, i)."""
    d = vc_dimension(family, dim=dim)
    for n in range(1, 8):
        assert growth_function(family, n, dim=dim) <= sum(math.comb(n, i) for i in range(d + 1))


def test_the_diamond_is_shattered_by_rectangles_and_the_square_is_not():
    assert shatters("rectangles", [[0, 1], [0, -1], [1, 0], [-1, 0]])
    assert not shatters("rectangles", [[0, 0], [0, 1], [1, 0], [1, 1]])
    x = np.random.default_rng(1).normal(size=(6, 3))
    x[:] = 0
    x[range(6), [0, 0, 1, 1, 2, 2]] = [1, -1] * 3
    assert shatters("rectangles", x)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_sines_shatter_halving_points(n):
    assert shatters("sines", 0.5 ** np.arange(n))
    assert vc_dimension("sines") == math.inf


def test_sines_do_not_shatter_evenly_spaced_points():
    """sin ωx, sin 2ωx, sin 3ωx, sin 4ωx: not all signs."""
    found = labelings("sines", [1.0, 2.0, 3.0, 4.0])
    frequencies = np.linspace(-np.pi, np.pi, 100_001)[:, None]
    assert as_set(np.sin(frequencies * [1, 2, 3, 4]) > 0) == as_set(found)
    assert not shatters("sines", [1.0, 2.0, 3.0, 4.0])


def test_repeated_points_share_their_label():
    assert labelings("thresholds", [1.0, 1.0]).tolist() == [[True, True], [False, False]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: labelings("interval", [1.0]), "labelings: family must be one of intervals"),
        (lambda: labelings("sines", [[1.0, 2.0]]), r"points of sines must lie on a line, shape \(n,\), got \(1, 2\)"),
        (lambda: labelings("rectangles", np.ones((17, 2))), r"n from 1 to 16, got \(17, 2\)"),
        (lambda: growth_function("rectangles", 9, dim=2), "at most 50,000 orders of rectangles to try, got n=9, dim=2"),
        (lambda: growth_function("sines", 0), "n and dim must be at least 1, got n=0, dim=1"),
        (lambda: vc_dimension("half-spaces", dim=0), "dim must be at least 1, got 0"),
    ],
)  # fmt: skip
def test_what_is_refused(call, words):
    with pytest.raises(InvalidValue, match=words):
        call()
