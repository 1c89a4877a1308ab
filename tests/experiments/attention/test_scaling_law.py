"""Power laws are found where they are, with intervals that hold them; the frontier is what was cheapest."""

import numpy as np
import pytest

from gradatim import experiments
from gradatim.experiments.attention._power_laws import fit_power, fit_with_floor
from gradatim.experiments.attention.scaling_law import Run, frontier

X = np.geomspace(1e3, 1e5, 9)


def test_intervals_hold_the_exponent_nineteen_times_of_twenty():
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        law = fit_power(X, 5 * X**-0.1 * np.exp(0.02 * rng.standard_normal(9)))
        hits += law.low <= 0.1 <= law.high
    assert hits / 400 == pytest.approx(0.95, abs=0.035)


def test_a_floor_is_found_where_a_straight_line_is_wrong_and_sure():
    loss = 1.0 + 30 * X**-0.5
    exact = fit_with_floor(X, loss)
    assert (exact.exponent, exact.floor) == pytest.approx((0.5, 1.0), abs=0.02)
    noisy = loss * np.exp(0.01 * np.random.default_rng(1).standard_normal(9))
    bent, line = fit_with_floor(X, noisy), fit_power(X, noisy)
    assert bent.low <= 0.5 <= bent.high
    assert line.high < 0.4  # a straight line misses it, and is sure of itself


def test_a_law_gives_back_its_losses():
    law = fit_power(X, 2.0 + X**-0.3, floor=2.0)
    np.testing.assert_allclose(law(X), 2.0 + X**-0.3)
    assert law.error == pytest.approx(0, abs=1e-12)


def test_the_frontier_is_the_lowest_way():
    seen = np.array([1.0, 10.0, 100.0])
    small = Run(10, 1000, seen, np.array([3.0, 2.0, 1.9]))
    large = Run(100, 1000, seen, np.array([4.0, 1.8, 1.0]))
    edge = frontier([small, large], count=4)
    np.testing.assert_allclose(edge.compute, np.geomspace(60, 60_000, 4))
    np.testing.assert_allclose(edge.losses, [3.0, 2.0, 1.8, 1.0])
    assert edge.parameters.tolist() == [10, 10, 100, 100]


def test_every_claim_holds():
    report = experiments.run("scaling-law", quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == ["laws", "exponents"]
