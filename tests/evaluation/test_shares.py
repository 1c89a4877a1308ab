"""The interval of a share, by what it promises and by SciPy's own."""

import numpy as np
import pytest
from scipy import stats

from gradatim.errors import InvalidValue
from gradatim.evaluation import share_interval


@pytest.mark.parametrize(("hits", "count"), [(0, 7), (7, 7), (9, 10), (450, 500), (1, 3)])
def test_it_is_the_exact_interval_of_scipy(hits, count):
    found = share_interval(hits, count, level=0.9)
    exact = stats.binomtest(hits, count).proportion_ci(0.9, method="exact")
    np.testing.assert_allclose(found, (hits / count, exact.low, exact.high), rtol=1e-12)


@pytest.mark.parametrize(("count", "share"), [(20, 0.9), (50, 0.5), (8, 0.05)])
def test_it_holds_the_true_share_at_least_as_often_as_it_says(count, share):
    hits = np.arange(count + 1)
    intervals = [share_interval(h, count) for h in hits.tolist()]
    is_held = np.array([own.low <= share <= own.high for own in intervals])
    assert stats.binom.pmf(hits, count, share)[is_held].sum() >= 0.95


def test_other_than_a_share_is_refused():
    with pytest.raises(InvalidValue, match=r"share_interval: hits must be from 0 to count, got 3 of 2\."):  # fmt: skip
        share_interval(3, 2)
