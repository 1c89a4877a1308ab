"""Interquartile means by their definition; intervals that hold as often as they say."""

import numpy as np
import pytest

from gradatim.errors import GradatimError
from gradatim.evaluation import bootstrap_band, interquartile_mean


def test_the_middle_half_is_averaged():
    values = np.random.default_rng(0).normal(size=(9, 3))
    expected = [np.mean(sorted(column)[2:-2]) for column in values.T]
    np.testing.assert_allclose(interquartile_mean(values), expected)
    assert interquartile_mean([1.0, 2.0, 3.0, 1e9]) == 2.5


def test_the_interval_holds_the_middle_of_a_symmetric_law_about_as_often_as_it_says():
    drawn = np.random.default_rng(1).normal(size=(20, 400))
    band = bootstrap_band(drawn, level=0.9, resamples=400)
    assert np.mean((band.low <= 0) & (band.high >= 0)) == pytest.approx(0.9, abs=0.06)
    assert (band.low <= band.mean).all()
    assert (band.mean <= band.high).all()


def test_equal_runs_leave_no_doubt():
    band = bootstrap_band(np.full((5, 2), 3.0))
    assert band.low.tolist() == band.high.tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("values", "level", "words"),
    [(np.ones((4, 2)), 0.9, "at least 5 rows"), (np.ones(9), 0.9, "got shape"), (np.ones((5, 2)), 1.0, "level must be in")],
)  # fmt: skip
def test_what_has_no_interval_is_refused(values, level, words):
    with pytest.raises(GradatimError, match=words):
        bootstrap_band(values, level=level)
