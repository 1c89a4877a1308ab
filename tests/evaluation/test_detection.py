"""Shares of anomalies missed, against scikit-learn and by their limits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from gradatim.errors import InvalidValue
from gradatim.evaluation import missed_share

scores = st.lists(st.integers(0, 9), min_size=1, max_size=40)


@given(scores, scores)
def test_over_all_thresholds_it_is_one_less_the_area(normal, odd):
    truth = np.repeat([0, 1], [len(normal), len(odd)])
    assert missed_share(normal, odd) == pytest.approx(1 - roc_auc_score(truth, normal + odd))


@given(scores, scores, st.floats(0.05, 1.0))
def test_it_is_the_area_that_mcclish_standardizes(normal, odd, most):
    truth = np.repeat([0, 1], [len(normal), len(odd)])
    least, best = most**2 / 2, most
    partial = (1 - missed_share(normal, odd, most)) * most
    standardized = 0.5 * (1 + (partial - least) / (best - least))
    if most < 1:
        assert standardized == pytest.approx(roc_auc_score(truth, normal + odd, max_fpr=most))


@given(st.floats(0.01, 1.0))
def test_limits(most):
    assert missed_share([1, 2, 3], [4, 5], most) == pytest.approx(0.0)
    assert missed_share([4, 5], [1, 2, 3], most) == pytest.approx(1.0)
    assert missed_share([7.0], [7.0, 7.0], most) == pytest.approx(1 - most / 2)


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(InvalidValue, match="normal and odd must hold scores, got 0 and 1"):
        missed_share([], [1.0])
    with pytest.raises(InvalidValue, match="most must be more than 0 and at most 1, got 0"):
        missed_share([1.0], [1.0], 0)
