"""Every claim about models of series holds, with a figure to show it."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gradatim import experiments
from gradatim.data import catalogue
from gradatim.experiments.timeseries import (
    _labelled_series,
    ar_unit_root,
    hmm_weather,
    kalman_tuning,
    nyse,
    tdnn_beats_ar,
    viterbi_trellis,
)
from gradatim.timeseries import HMM, CategoricalEmission

FIGURES = {
    "ar-unit-root": ["roots", "variance", "forecasts"],
    "tdnn-beats-ar": ["errors", "return-map", "humidity"],
    "kalman-tuning": ["gains", "ratio", "traces"],
    "hmm-weather": ["decoding", "learning", "tables"],
    "viterbi-trellis": ["trellis", "cost", "impossible"],
    "series-classification": ["accuracy-by-set"],
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == FIGURES[name]


def test_the_variance_of_a_first_order_model_is_the_geometric_sum():
    found = ar_unit_root.stationary_variance(torch.tensor([0.8], dtype=torch.float64))
    assert found == pytest.approx(1 / (1 - 0.64))


def test_a_shock_to_a_random_walk_stays():
    assert ar_unit_root.shock(torch.tensor([1.0]), 50) == 1.0
    assert ar_unit_root.shock(torch.tensor([0.5]), 3) == 0.125


def test_rules_read_a_window_and_a_batch_of_windows_alike():
    past = torch.rand(20, 5, dtype=torch.float64)
    for rule in tdnn_beats_ar.RULES.values():
        together = rule.step(past)
        for n in range(5):
            assert rule.step(past[:, n]) == together[n]


def test_a_series_without_noise_follows_its_rule():
    rule = tdnn_beats_ar.Rule(18, 0.0, tdnn_beats_ar.mackey_glass)
    x = tdnn_beats_ar.draw(rule, 60, torch.Generator().manual_seed(0))
    for t in range(18, 60):
        wanted = x[t - 1] - 0.1 * x[t - 1] + 0.2 * x[t - 18] / (1 + x[t - 18] ** 10)
        assert x[t] == pytest.approx(wanted.item())


def test_innovations_of_a_perfect_constant_are_its_noise():
    model = kalman_tuning.random_walk(0.0, 4.0, cov0=0.0)
    y = torch.tensor([[[1.0], [2.0], [-3.0]]], dtype=torch.float64)
    found = kalman_tuning.innovations(model, y, model.filter(y))
    torch.testing.assert_close(found, torch.tensor([[1.0, -1.5]], dtype=torch.float64))


def test_states_get_their_names_back():
    true, order = hmm_weather.telling_diary(), [2, 0, 1]
    mixed = HMM(
        true.start[order],
        true.transition[order][:, order],
        CategoricalEmission(hmm_weather.emissions(true)[order]),
    )
    assert hmm_weather.table_gap(mixed, true) > 0.1
    assert hmm_weather.table_gap(hmm_weather.relabel(mixed, true), true) == 0


def test_the_probabilities_of_all_paths_sum_to_the_likelihood():
    model = viterbi_trellis.random_model(np.random.default_rng(1))
    y = torch.tensor([0, 3, 1, 2])
    paths, chances = viterbi_trellis.enumerate_paths(model, y)
    assert len(paths.unique(dim=0)) == 3**4
    assert chances.sum().item() == pytest.approx(model.log_likelihood(y).exp().item())
    path = tuple(paths[17].tolist())
    assert chances[17].item() == pytest.approx(hmm_weather.joint(model, path, tuple(y.tolist())))


def test_sequences_end_with_yesterday():
    series = np.arange(14.0).reshape(7, 2)  # day t is (2t, 2t + 1)
    X = nyse.lagged(series, 3)
    assert X.shape == (4, 6)
    assert X[0].tolist() == [4, 5, 2, 3, 0, 1]
    assert nyse.as_sequences(X, 3)[0].tolist() == [[0, 1], [2, 3], [4, 5]]


@pytest.fixture
def exchange(monkeypatch):
    """Trading days in place of the real ones, in which only a linear rule and the weekday say anything."""
    noise = np.random.default_rng(0)
    days, X = 400, noise.normal(size=(400, 2))
    weekday = np.resize(["mon", "tues", "wed", "thur", "fri"], days)
    volume = np.zeros(days)
    for t in range(1, days):
        volume[t] = 0.6 * volume[t - 1] + (weekday[t] == "fri") + noise.normal(scale=0.5)
    frame = {"DJ_return": X[:, 0], "log_volatility": X[:, 1], "day_of_week": weekday}
    data = SimpleNamespace(X=frame, y=volume, split=(slice(0, 300), slice(300, 400)))
    monkeypatch.setattr(nyse, "load", lambda name: data)


def test_days_are_in_units_of_the_training_part(exchange):
    days = nyse.load_days(5)
    assert days.X.shape == (395, 15)
    assert days.cut == 295
    assert days.weekday.sum(1).tolist() == [1.0] * 395
    np.testing.assert_array_equal(days.X[1:, 0], days.y[:-1])
    everything = np.r_[days.X[0, 12::-3], days.y[:295]]  # the first five days and the rest
    assert everything.mean() == pytest.approx(0, abs=1e-12)
    assert everything.std() == pytest.approx(1)


def test_every_model_of_the_exchange_is_scored(exchange):
    report = nyse.run(nyse.Settings(epochs=2, members=1, rnn_epochs=2))
    found = {claim.name: claim.measured for claim in report.claims}
    assert found["test R² of linear AR and weekday"] > found["test R² of linear AR"] > 0
    assert [picture.name for picture in report.pictures] == ["scores", "forecast"]
    assert not report.holds  # it is another exchange


def test_made_up_series_are_what_their_authors_wrote():
    rng = np.random.default_rng(0)
    shapes, kinds = _labelled_series.draw_shapes(rng, 3000)
    assert shapes.shape == (3000, 128)
    middle = shapes[:, 40:46].mean(1)  # inside every shape: starts by 32, ends after 48
    assert middle[kinds == 0].mean() == pytest.approx(6, abs=0.2)
    assert middle[kinds == 1].mean() < 3 < middle[kinds == 2].mean()
    assert shapes[:, :15].std() == pytest.approx(1, abs=0.02)
    charts, kinds = _labelled_series.draw_charts(rng, 3000)
    change = charts[:, -15:].mean(1) - charts[:, :15].mean(1)
    means = [change[kinds == k].mean() for k in range(6)]
    assert np.allclose(means, [0, 0, 0.35 * 45, -0.35 * 45, 13.75, -13.75], atol=0.8)
    assert charts[kinds == 1].std() > 2 * charts[kinds == 0].std()


def test_series_are_standardized_and_flat_ones_survive():
    x = _labelled_series.standardize(np.array([[1.0, 3.0], [5.0, 5.0]]))
    assert x.tolist() == [[-1, 1], [0, 0]]


def test_published_accuracies_belong_to_sets_of_the_catalogue():
    names = {entry.name for entry in catalogue()}
    assert {f"ucr-{name}" for name in _labelled_series.PUBLISHED} <= names
    assert len(_labelled_series.PUBLISHED) >= 8
    for row in _labelled_series.PUBLISHED.values():
        assert 0 <= row.window <= 0.2
        assert 0.5 < row.dtw <= row.rocket + 1e-9 <= 1 + 1e-9
