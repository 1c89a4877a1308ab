import math
from itertools import product

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.theory import labelings, rademacher_complexity, vc_gap, vc_probability


def test_the_gap_solves_the_inequality():
    assert vc_probability(1001, 10**6, vc_gap(1001, 10**6, 0.05)) == pytest.approx(0.05)
    assert (
        vc_probability(2.0**100, 100, 1.0) == 1.0
    )  # nothing is promised of a family that fits all
    assert vc_gap(51, 50) > 1


def test_worked_number():
    assert vc_gap(11, 10_000, 0.1) == pytest.approx(math.sqrt(32 * math.log(880) / 10_000))


def test_all_signs_by_hand():
    """Thresholds on three points against all eight noises: the mean of the best agreement."""
    found = labelings("thresholds", [1.0, 2.0, 3.0])
    signs = np.where(found, 1, -1)
    exact = np.mean([max(signs @ np.array(noise)) / 3 for noise in product([-1, 1], repeat=3)])
    estimate = rademacher_complexity(found, num_samples=20_000)
    assert abs(estimate.value - exact) < 4 * estimate.error


def test_one_function_fits_no_noise_and_shattering_fits_all():
    alone = rademacher_complexity([[True, False, True, True]])
    assert abs(alone.value) < 4 * alone.error
    assert rademacher_complexity(labelings("half-spaces", [[0, 0], [0, 1], [1, 0]])) == (1.0, 0.0)


def test_massart():
    """At most √(2 ln |F(S)| / n)."""
    x = np.arange(12.0)
    for family in ("thresholds", "intervals"):
        found = labelings(family, x)
        assert rademacher_complexity(found).value < math.sqrt(2 * math.log(len(found)) / 12)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: vc_gap(10, 0), "vc_gap: n must be a whole number from 1"),
        (lambda: vc_gap(0.5, 10), "growth must be a number of labelings, at least 1, got 0.5"),
        (lambda: vc_gap(10, 10, 0.0), r"delta must be in \(0, 1\)"),
        (lambda: vc_probability(10, 10, 0.0), "eps must be positive"),
        (lambda: rademacher_complexity([True]), r"labelings must have shape \(count, n\), got \(1,\)"),
        (lambda: rademacher_complexity([[True]], num_samples=1), "num_samples must be at least 2"),
    ],
)  # fmt: skip
def test_what_is_refused(call, words):
    with pytest.raises(InvalidValue, match=words):
        call()
