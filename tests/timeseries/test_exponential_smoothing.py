import warnings

import numpy as np
import pytest
from statsmodels.tsa.holtwinters import ExponentialSmoothing

from gradatim.errors import InvalidValue
from gradatim.timeseries import Smoothing, extrapolate, fit_smoothing, smooth


def draw(period=4, steps=40, seed=0):
    rng = np.random.default_rng(seed)
    wave = np.tile(3 * rng.normal(size=period), steps // period) if period > 1 else np.zeros(steps)
    return wave + 0.4 * np.arange(steps) + 0.5 * rng.normal(size=steps)


def rates(*values):
    return Smoothing(*(np.array([[v]]) for v in values))


def by_hand(x, a, b, g, phi, m):
    """The textbook recursion, one number at a time."""
    if m > 1:
        first, second = np.mean(x[:m]), np.mean(x[m : 2 * m])
        trend = (second - first) / m
        level = first - trend * (m + 1) / 2
        season = [x[i] - (first + trend * (i - (m - 1) / 2)) for i in range(m)]
    else:
        level, trend, season = x[0], 0.0, [0.0]
    errors = []
    for t, value in enumerate(x):
        line, s = level + phi * trend, season[t]
        errors.append(value - line - s)
        new = a * (value - s) + (1 - a) * line
        trend = b * (new - level) + (1 - b) * phi * trend
        season.append(g * (value - line) + (1 - g) * s if m > 1 else 0.0)
        level = new
    return level, trend, season[-m:], np.mean(np.square(errors))


@pytest.mark.parametrize("period", [1, 4])
def test_recursion_by_hand(period):
    x = draw(period)
    setting = (0.3, 0.2, 0.4, 0.9)
    state, error = smooth(x, rates(*setting), period)
    level, trend, season, expected = by_hand(x, *setting, period)
    assert state.level[0, 0] == pytest.approx(level)
    assert state.trend[0, 0] == pytest.approx(trend)
    assert state.season[0, 0] == pytest.approx(season)
    assert error[0, 0] == pytest.approx(expected)


def test_agrees_with_statsmodels():
    x, m, (a, b, g, phi) = draw(), 4, (0.3, 0.2, 0.4, 0.9)
    first, second = x[:m].mean(), x[m : 2 * m].mean()
    trend = (second - first) / m
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = ExponentialSmoothing(
            x, trend="add", damped_trend=True, seasonal="add", seasonal_periods=m,
            initialization_method="known", initial_level=first - trend * (m + 1) / 2, initial_trend=trend,
            initial_seasonal=x[:m] - (first + trend * (np.arange(m) - (m - 1) / 2)),
        ).fit(a, b, g, damping_trend=phi, optimized=False)  # fmt: skip
    state, error = smooth(x, rates(a, b, g, phi), m)
    ahead = extrapolate(state, rates(a, b, g, phi), 9)[0]
    kept = np.arange(9) % m != m - 1  # statsmodels forecasts without the season's last update
    assert ahead[kept] == pytest.approx(other.forecast(9)[kept])
    assert error[0, 0] == pytest.approx(other.sse / len(x))


def test_the_search_is_no_worse_than_a_fine_grid():
    x = draw(1, 60, seed=3)
    fitted = fit_smoothing(x)
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 6)] * 3, indexing="ij")).reshape(3, 1, -1)
    tried = Smoothing(grid[0], grid[1], 0 * grid[0], grid[2])
    assert smooth(x, fitted)[1].min() <= 1.02 * smooth(x, tried)[1].min()


def test_series_do_not_disturb_each_other():
    both = np.stack([draw(seed=1), 100 * draw(seed=2)])
    state, _ = smooth(both, Smoothing(*(np.full((2, 1), r) for r in (0.3, 0.1, 0.2, 0.8))), 4)
    alone, _ = smooth(both[1:], rates(0.3, 0.1, 0.2, 0.8), 4)
    assert state.level[1] == pytest.approx(alone.level[0])


def test_a_pure_season_goes_on_for_ever():
    pattern = np.array([1.0, -2.0, 4.0, -3.0])
    x = np.tile(pattern, 5)
    setting = fit_smoothing(x, 4)
    state, error = smooth(x, setting, 4)
    assert error.max() < 1e-20
    assert extrapolate(state, setting, 8)[0] == pytest.approx(np.tile(pattern, 2))


@pytest.mark.parametrize("series", [[[1.0]], [[1.0, np.nan]], [[1.0, 2.0, 3.0]]])
def test_too_short_or_not_finite_is_refused(series):
    with pytest.raises(InvalidValue, match="smooth: series must be finite"):
        smooth(series, rates(0.5, 0.5, 0.5, 0.5), 2)


def wander(seed):
    """A level that walks, a slow trend and a season: the best rates lie in a narrow valley."""
    rng = np.random.default_rng(seed)
    months = np.arange(120)
    return (
        300 + 0.1 * months + np.cumsum(0.2 * rng.normal(size=120)) + 3 * np.sin(months * np.pi / 6)
    )


@pytest.mark.parametrize("number", range(3))
def test_the_search_finds_what_statsmodels_finds_or_better_from_every_seed(number):
    x, m = wander(number), 12
    start, _ = smooth(
        x[: 2 * m], rates(0.0, 0.0, 0.0, 1.0), m
    )  # rates of 0 leave the start as it is
    level, trend = start.level.item() - 2 * m * start.trend.item(), start.trend.item()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = ExponentialSmoothing(
            x, trend="add", damped_trend=True, seasonal="add", seasonal_periods=m, initialization_method="known",
            initial_level=level, initial_trend=trend, initial_seasonal=start.season[0, 0],
        ).fit()  # fmt: skip
    errors = [smooth(x, fit_smoothing(x, m, seed=seed), m)[1].item() for seed in range(4)]
    assert max(errors) <= 1.001 * other.sse / len(x)
    assert max(errors) < 1.001 * min(errors)
