import numpy as np
import pytest

from gradatim.fitting.series.candidates import AUTOREGRESSION, LAST, SEASONAL, SMOOTHING, fit_simple
from gradatim.fitting.series.networks import SeriesSettings, fit_network


def test_naive_forecasts():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert fit_simple(LAST, [x], 3, 1, 0).forecast([x]).tolist() == [[6.0, 6.0, 6.0]]
    assert fit_simple(SEASONAL, [x], 5, 3, 0).forecast([x]).tolist() == [[4.0, 5.0, 6.0, 4.0, 5.0]]


@pytest.mark.parametrize("name", [SMOOTHING, AUTOREGRESSION])
def test_a_season_with_trend_goes_on(name):
    t = np.arange(100)
    series = [np.sin(2 * np.pi * t / 10) + 0.02 * t, 100 * np.cos(2 * np.pi * t / 10)]
    model = fit_simple(name, [x[:80] for x in series], 10, 10, 0)
    found = model.forecast([x[:80] for x in series])
    for x, forecast in zip(series, found, strict=True):
        assert np.abs(forecast - x[80:90]).max() < 0.1 * np.ptp(x)


def test_a_random_walk_does_not_explode():
    x = np.random.default_rng(0).normal(size=300).cumsum()
    found = fit_simple(AUTOREGRESSION, [x], 50, 1, 0).forecast([x])[0]
    assert np.abs(found).max() < 3 * np.abs(x).max()


@pytest.mark.parametrize("reader", ["mlp", "gru"])
def test_network_learns_a_wave_it_sees_a_period_of(reader):
    t = np.arange(160)
    x = 50 + 10 * np.sin(2 * np.pi * t / 8)
    settings = SeriesSettings(reader=reader, hidden_dim=16, dropout=0.0, reach=1.0, lr=0.01)
    model, history = fit_network([x[:120]], 4, 8, settings, seed=0)
    assert np.abs(model.forecast([x[:120]])[0] - x[120:124]).max() < 2.0
    assert len(history) > 3


def test_forecasts_do_not_depend_on_mates():
    rng = np.random.default_rng(0)
    series = [rng.normal(size=60).cumsum(), 10 * rng.normal(size=60).cumsum()]
    model, _ = fit_network(series, 3, 1, SeriesSettings(hidden_dim=8), seed=0)
    assert (model.forecast(series)[:1] == model.forecast([series[0], series[1][:30]])[:1]).all()
