from itertools import product
from math import comb

import numpy as np
import pytest

from gradatim.theory import montufar, zaslavsky


@pytest.mark.parametrize(
    ("m", "n", "regions"),
    [
        (0, 3, 1),
        (1, 2, 2),
        (3, 2, 7),  # three lines in the plane
        (6, 1, 7),  # six breakpoints on the line
        (500, 1, 501),
        (4, 2, 11),
        (3, 3, 8),
        (4, 3, 15),
        (5, 9, 2**5),  # more dimensions than hyperplanes: every sign pattern
    ],
)
def test_known_counts(m, n, regions):
    assert zaslavsky(m, n) == regions


@pytest.mark.parametrize(("m", "n"), [(4, 2), (5, 2), (4, 3), (5, 3)])
def test_by_counting_sign_patterns_of_random_hyperplanes(m, n):
    rng = np.random.default_rng(0)
    normals, offsets = rng.normal(size=(m, n)), rng.normal(size=m)
    # far out and close in, to meet unbounded and bounded regions
    points = rng.normal(size=(200_000, n)) * rng.choice([1.0, 3.0, 30.0], size=(200_000, 1))
    patterns = np.unique((points @ normals.T + offsets > 0) @ 2 ** np.arange(m))
    assert len(patterns) <= zaslavsky(m, n)
    assert len(patterns) >= zaslavsky(m, n) - 1  # a small cell may escape the sample


@pytest.mark.parametrize(("m", "n"), list(product(range(1, 8), range(1, 5))))
def test_recurrence(m, n):
    """A new hyperplane adds as many regions as the others cut from it."""
    on_it = zaslavsky(m - 1, n - 1) if n > 1 else 1
    assert zaslavsky(m, n) == zaslavsky(m - 1, n) + on_it


def test_montufar_by_hand():
    # width 5 on 2 inputs: 1 + 5 + 10 = 16 regions, floor(5/2)^2 = 4 copies per further layer
    assert [montufar(2, 5, depth) for depth in (1, 2, 3)] == [16, 64, 256]
    assert montufar(1, 3, 4) == 4 * 3**3
    assert montufar(3, 6, 2) == sum(comb(6, i) for i in range(4)) * 2**3


def test_montufar_grows_exponentially_with_depth_and_polynomially_with_width():
    assert montufar(2, 8, 10) == montufar(2, 8, 1) * 16**9
    assert montufar(2, 80, 1) < 80**2


@pytest.mark.parametrize(("m", "n"), [(-1, 2), (3, 0)])
def test_zaslavsky_refuses(m, n):
    with pytest.raises(ValueError, match=f"zaslavsky: m must be >= 0 and n >= 1, got m={m}, n={n}"):
        zaslavsky(m, n)


@pytest.mark.parametrize(("n", "width", "depth"), [(0, 4, 1), (3, 2, 1), (2, 4, 0)])
def test_montufar_refuses(n, width, depth):
    with pytest.raises(ValueError, match="montufar: width must be >= n >= 1 and depth >= 1"):
        montufar(n, width, depth)
