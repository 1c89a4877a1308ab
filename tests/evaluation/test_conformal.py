"""The promise of a threshold, by simulation and by its equation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.evaluation import conformal_threshold


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(1, 99))
def test_it_is_the_finite_sample_quantile(scores, percent):
    n, alarms = len(scores), percent / 100
    k = sum(
        j * 100 < (n + 1) * (100 - percent) for j in range(n + 2)
    )  # the ceiling, in whole numbers
    if not 1 <= k <= n:
        with pytest.raises(InvalidValue, match=r"alarms must be at least 1/\(n \+ 1\)"):
            conformal_threshold(scores, alarms)
    else:
        assert conformal_threshold(scores, alarms) == sorted(scores)[k - 1]


@pytest.mark.parametrize(("n", "alarms"), [(9, 0.1), (19, 0.2), (50, 0.05), (99, 0.01), (30, 0.5)])
@pytest.mark.parametrize("draw", ["normal", "standard_cauchy"])
def test_new_data_raise_the_share_asked_for_and_no_more(n, alarms, draw):
    """The share is known exactly: 1 - k/(n + 1), whatever the scores are drawn from."""
    rng, runs = np.random.default_rng(n), 20_000
    scores = getattr(rng, draw)(size=(runs, n + 1))
    raised = np.mean([row[-1] > conformal_threshold(row[:-1], alarms) for row in scores])
    exact = 1.0 - math.ceil((n + 1) * (1 - alarms) - 1e-9) / (n + 1)
    assert exact <= alarms + 1e-12
    assert abs(raised - exact) < 4 * math.sqrt(exact * (1 - exact) / runs)


def test_ties_raise_fewer():
    assert conformal_threshold(np.zeros(99), 0.01) == 0.0  # and nothing is above it


@pytest.mark.parametrize(
    ("scores", "alarms", "sentence"),
    [
        ([], 0.1, "conformal_threshold: scores must be at least one, got none."),
        ([1.0, float("nan")], 0.5, "conformal_threshold: scores must be finite, got others."),
        ([1.0] * 3, 0.1, "conformal_threshold: alarms must be at least 1/(n + 1) = 0.25 and less than 1 for 3 scores, got 0.1. Hold out more."),
        ([1.0] * 3, 1.0, "conformal_threshold: alarms must be at least 1/(n + 1) = 0.25 and less than 1 for 3 scores, got 1.0."),
    ],
)  # fmt: skip
def test_what_gives_no_promise_is_refused(scores, alarms, sentence):
    with pytest.raises(InvalidValue) as caught:
        conformal_threshold(scores, alarms)
    assert str(caught.value) == sentence
