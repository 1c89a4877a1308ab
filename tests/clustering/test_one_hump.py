import numpy as np
import pytest
from scipy.stats import kstest

from gradatim.clustering import OneHump, one_hump_quantiles
from gradatim.errors import InvalidValue

SHARES = (np.arange(1000) + 0.5) / 1000


def humps(values):
    """How often the density of some quantiles rises after it fell, by more than what falls on a border."""
    density = np.round(np.histogram(values, 12)[0] / 20)
    turns = np.sign(np.diff(density))
    turns = turns[turns != 0]
    return int(((turns[:-1] < 0) & (turns[1:] > 0)).sum())


@pytest.mark.parametrize("draw", ["uniform", "normal", "exponential"])
def test_what_has_one_hump_stays(draw):
    values = getattr(np.random.default_rng(0), draw)(size=800)
    assert kstest(one_hump_quantiles(values, SHARES), values).statistic < 0.03


def test_two_humps_become_one():
    rng = np.random.default_rng(0)
    values = np.r_[rng.normal(-4, 1, 400), rng.normal(4, 1, 400)]
    assert humps(values) >= 1
    assert humps(one_hump_quantiles(values, SHARES)) == 0


def test_the_fit_is_nearest_among_many_densities_with_one_hump():
    """No density on a few gaps that rises and then falls, of thousands drawn, is nearer to the data."""
    rng = np.random.default_rng(3)
    values = np.array([0.0, 1.0, 1.5, 4.0, 4.5, 6.0])
    F = (np.arange(6) + 0.5) / 6
    gaps = np.diff(values)
    points = np.linspace(F[0], F[-1], 500)
    own = np.interp(values, one_hump_quantiles(values, points), points)
    error = np.abs(own - F).max()
    for _ in range(3000):
        m, f = rng.integers(0, 6), np.sort(rng.random(5))
        f = np.r_[f[:m], f[m:][::-1]]
        f *= (F[-1] - F[0]) / (f * gaps).sum()
        fit = F[0] + np.r_[0.0, np.cumsum(f * gaps)]
        assert (
            np.abs(fit - F).max() > 0.7 * error
        )  # least squares is near the least maximum, not always at it


def test_columns_and_correlations_stay_and_groups_go():
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(600, 3)) @ rng.normal(size=(3, 3))
    drawn = OneHump(mixed).draw(seed=1)
    np.testing.assert_allclose(np.corrcoef(drawn.T), np.corrcoef(mixed.T), atol=0.1)
    for own, new in zip(mixed.T, drawn.T, strict=True):
        assert kstest(own, new).pvalue > 0.001
    corners = (
        rng.normal(size=(600, 2)) + 12 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(600) % 3]
    )
    gone = OneHump(corners).draw(seed=1)
    assert np.mean(abs(corners[:, 0] - 6) < 2) < 0.01 < 0.05 < np.mean(abs(gone[:, 0] - 6) < 2)


def test_marks_of_one_category_are_drawn_whole():
    rng = np.random.default_rng(0)
    marks = np.eye(3)[rng.integers(0, 3, 200)]
    x = np.c_[rng.normal(size=200), marks]
    drawn = OneHump(x, blocks=[[0], [1, 2, 3]]).draw(seed=0)
    assert (drawn[:, 1:].sum(1) == 1).all()
    np.testing.assert_allclose(drawn[:, 1:].mean(0), marks.mean(0), atol=0.12)


def test_truth_values_keep_their_gap():
    x = np.c_[np.random.default_rng(0).normal(size=100), np.arange(100) % 2]
    assert set(OneHump(x).draw(seed=0)[:, 1]) == {0.0, 1.0}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: one_hump_quantiles(np.ones(4), SHARES),
            "values must hold two different ones at least, got 1",
        ),
        (lambda: one_hump_quantiles(np.array([1.0, np.nan]), SHARES), "values must be finite"),
        (
            lambda: OneHump(np.ones(4)),
            r"x must be finite rows, of shape \(N, d\), got shape \(4,\)",
        ),
        (
            lambda: OneHump(np.ones((4, 2)), blocks=[[0]]),
            r"blocks must hold every column once, got \[0\]",
        ),
        (lambda: OneHump(np.ones((4, 2))).draw(seed=-1), "seed must be a whole number"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
