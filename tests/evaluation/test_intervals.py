"""The corrected interval by hand, its coverage, and the ratio of rows."""

import math

import numpy as np
import pytest

from gradatim.evaluation import corrected_interval, held_out_ratio, make_splits
from gradatim.evaluation.intervals import error_interval


def test_interval_by_hand():
    # d = 1, 2, 3: variance 1; t(0.975, 2) = 4.302653; error = sqrt((1/3 + 1/2) * 1)
    interval = corrected_interval([1.0, 2.0, 3.0], 0.5)
    assert interval.error == pytest.approx(np.sqrt(5 / 6))
    assert interval.low == pytest.approx(2 - 4.302653 * np.sqrt(5 / 6), rel=1e-6)
    assert interval.high == pytest.approx(2 + 4.302653 * np.sqrt(5 / 6), rel=1e-6)


def test_interval_covers_the_truth_where_folds_share_rows():
    """Means of ten overlapping training sets: a plain t interval covers far less than 95 %."""
    rng = np.random.default_rng(0)
    hits = plain = 0
    for _ in range(400):
        y = rng.normal(size=100)
        folds = rng.permutation(100).reshape(10, 10)
        scores = [((y[f].mean() - np.delete(y, f).mean()) + y.mean() * 0) for f in folds]
        d = [s + y.mean() for s in scores]  # noise of the sample is common to all folds
        interval = corrected_interval(d, 1 / 9)
        half = 2.262 * np.std(d, ddof=1) / np.sqrt(10)
        hits += interval.low <= 0 <= interval.high
        plain += abs(np.mean(d)) <= half
    assert hits > plain
    assert hits / 400 > 0.9


def test_interval_of_differences_by_hand():
    # gaps 1, 2, 3: mean 2, variance 1; 1/3 + 1/4 of training rows; t(0.975; 2) = 4.302652729749
    mean, error, low, high = corrected_interval(np.subtract([1, 2, 3], [0, 0, 0]), 0.25)
    half = 4.302652729749 * np.sqrt(1 / 3 + 0.25)
    assert (mean, low, high) == pytest.approx((2, 2 - half, 2 + half))
    assert error == pytest.approx(np.sqrt(1 / 3 + 0.25))


def test_a_level_of_one_half_reaches_the_quartiles_of_students_t():
    # t(0.75; 1) = 1 (Cauchy), so with two folds the half width is the error itself
    interval = corrected_interval([0.0, 2.0], 0.5, level=0.5)
    assert interval.high - interval.mean == pytest.approx(interval.error)


def test_ratio_of_ten_folds_is_a_ninth():
    assert held_out_ratio(make_splits(np.arange(100) / 7, 10)) == pytest.approx(1 / 9)


def test_errors_have_intervals_of_factors():
    # 1, 2, 3 at ratio 0: mean 2, error 1/sqrt(3), t = 4.3027; the reach over the mean is 1.24209
    found = error_interval([1.0, 2.0, 3.0], 0.0)
    assert found.low == pytest.approx(2 * math.exp(-1.24209), rel=1e-4)
    assert found.high == pytest.approx(2 * math.exp(1.24209), rel=1e-4)
    near = error_interval([10.0, 10.01, 10.02], 0.0)  # for a small error the usual one
    plain = corrected_interval([10.0, 10.01, 10.02], 0.0)
    assert near == pytest.approx(plain, rel=1e-5)
    assert error_interval([0.0, 0.0, 0.0], 0.0) == (0, 0, 0, 0)
    assert math.isfinite(error_interval([0.0, 1e-9, 1.0], 0.0).low)
