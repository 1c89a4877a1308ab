"""Every claim about models of series holds, with a figure to show it."""

import numpy as np
import pytest
import torch

from gradatim import experiments
from gradatim.experiments import (
    ar_unit_root,
    hmm_weather,
    kalman_tuning,
    tdnn_beats_ar,
    viterbi_trellis,
)
from gradatim.timeseries import HMM, CategoricalEmission

FIGURES = {
    "ar-unit-root": ["roots", "variance", "forecasts"],
    "tdnn-beats-ar": ["errors", "return-map"],
    "kalman-tuning": ["gains", "ratio", "traces"],
    "hmm-weather": ["decoding", "learning", "tables"],
    "viterbi-trellis": ["trellis", "cost", "impossible"],
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
