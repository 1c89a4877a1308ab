import pytest
import torch
from scipy import stats

from gradatim.errors import GradatimError
from gradatim.generative import interval_around, mean_interval, random_weights
from gradatim.randomness import seeded


def test_weights_are_flat_over_the_simplex():
    weights = random_weights(3, 20_000, generator=torch.Generator().manual_seed(0))
    assert stats.kstest(weights[:, 0], stats.beta(1, 2).cdf).pvalue > 0.01


def test_the_interval_of_a_mean_is_the_textbooks():
    with seeded(0):
        values = torch.randn(400).double()
    found = mean_interval(values, num_resamples=4000)
    half = 1.96 * float(values.std()) / 20
    assert found.value == pytest.approx(float(values.mean()))
    assert found.high - found.value == pytest.approx(half, rel=0.08)
    assert found.value - found.low == pytest.approx(half, rel=0.08)


def test_the_interval_of_a_share_is_that_of_jeffreys_and_never_empty():
    whole = mean_interval(torch.ones(20, dtype=torch.bool))
    assert whole.value == whole.high == 1.0
    assert whole.low == pytest.approx(stats.beta.ppf(0.025, 20.5, 0.5))
    some = mean_interval(torch.arange(40) < 10)
    assert (some.low, some.high) == pytest.approx(tuple(stats.beta.ppf([0.025, 0.975], 10.5, 30.5)))


def test_the_bias_of_the_resamples_is_taken_off():
    resampled = torch.linspace(4.0, 6.0, 101, dtype=torch.float64)
    assert interval_around(1.0, resampled, 0.9) == pytest.approx((1.0, 0.1, 1.9))


def test_errors():
    with pytest.raises(
        GradatimError, match="num_rows and num_resamples must be at least 1, got 0 and 200"
    ):
        random_weights(0)
    with pytest.raises(GradatimError, match="level must be in"):
        interval_around(0.0, torch.zeros(3), 1.0)
    with pytest.raises(GradatimError, match="values must be a row of at least one number"):
        mean_interval(torch.zeros(0))
