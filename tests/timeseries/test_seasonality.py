import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.timeseries import find_season


@pytest.mark.parametrize("period", [2, 4, 7, 12, 24, 52])
def test_finds_a_season_under_trend_and_noise(period):
    rng = np.random.default_rng(period)
    pattern = np.tile(rng.normal(size=period), 12)
    t = np.arange(len(pattern))
    assert find_season(3 * pattern + 0.5 * t + 0.3 * rng.normal(size=len(t))) == period


@pytest.mark.parametrize("seed", range(5))
def test_noise_walks_and_lines_have_none(seed):
    noise = np.random.default_rng(seed).normal(size=300)
    assert find_season(noise) == 1
    assert find_season(noise.cumsum()) == 1
    assert find_season(np.arange(50.0)) == 1
    assert find_season(np.ones(50)) == 1


def test_series_are_averaged_and_limits_kept():
    t = np.arange(48)
    both = np.stack([np.sin(2 * np.pi * t / 12), 1e6 * np.sin(2 * np.pi * t / 12)])
    assert find_season(both) == 12
    assert find_season(both, longest=8) == 1
    assert find_season([1.0, 2.0]) == 1


def test_nan_is_refused():
    with pytest.raises(InvalidValue, match="find_season: series must be finite"):
        find_season([1.0, np.nan, 2.0])


@pytest.mark.parametrize("series", [[], [1.0], [1.0, 2.0]])
def test_what_is_too_short_has_no_season(series):
    assert find_season(series) == 1
