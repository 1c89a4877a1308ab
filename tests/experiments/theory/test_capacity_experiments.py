"""The experiments on capacity and what may be promised hold, in versions of a few seconds."""

import numpy as np
import pytest
import torch

from gradatim import experiments
from gradatim.experiments.theory.double_descent import draw_task
from gradatim.experiments.theory.double_descent import test_error as squared_error
from gradatim.experiments.theory.epoch_double_descent import FAST, group_risk, turns
from gradatim.experiments.theory.pac_bayes_mnist import simulate
from gradatim.experiments.theory.random_labels import corrupt
from gradatim.experiments.theory.vc_dimension import gaps, sauer

PICTURES = {
    "double-descent": ["descents"],
    "epoch-double-descent": ["epochs"],
    "pac-bayes-mnist": ["certificates"],
    "random-labels": ["labels"],
    "vc-dimension": ["growth"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 6
    assert [picture.name for picture in report.pictures] == PICTURES[name]


def test_sauer_counts_subsets():
    assert [sauer(4, d) for d in range(5)] == [1, 5, 11, 15, 16]


def test_gaps_are_those_of_all_thresholds_by_hand():
    """Thresholds say 1 behind row k; labels are coins, so that every true error is a half."""

    class Labels:
        def choice(self, values, size):
            return np.array([[1.0, 1.0, -1.0, 1.0]])

    labels = np.array([1, 1, 0, 1])
    errors = [np.mean((np.arange(4) >= k) != labels) for k in range(5)]
    assert gaps(4, 1, Labels()).item() == pytest.approx(max(abs(e - 0.5) for e in errors))


def test_luck_of_coins_is_that_of_a_loop():
    rng = np.random.default_rng(0)
    seen = rng.binomial(100, 0.5, size=(2, 1000)) / 100
    risk, kl, gap = simulate(100, 2, np.random.default_rng(0))
    for k in range(2):
        weights = [np.exp(-100 * (r - 0.5)) for r in seen[k]]
        q = [w / sum(weights) for w in weights]
        assert risk[k] == pytest.approx(sum(a * r for a, r in zip(q, seen[k], strict=True)))
        assert kl[k] == pytest.approx(sum(a * np.log(a * 1000) for a in q))
    assert np.allclose(risk + gap, 0.5)


def test_a_share_of_labels_is_drawn_anew():
    y, g = torch.arange(20_000) % 10, torch.Generator().manual_seed(0)
    assert torch.equal(corrupt(y, 0.0, g), y)
    changed = (corrupt(y, 0.5, g) != y).float().mean().item()
    assert changed == pytest.approx(0.5 * 0.9, abs=0.02)


def test_the_error_of_features_is_that_of_lstsq():
    task = draw_task(15, 0.5, torch.Generator().manual_seed(0))
    for count in (5, 40):
        g = torch.Generator().manual_seed(1)
        found = squared_error(task, count, 0.0, g)
        w = torch.randn(20, count, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
        A, B = (np.maximum((x @ w).numpy(), 0) for x in (task.x, task.x_test))
        fit = np.linalg.lstsq(A, task.y.numpy(), rcond=None)[0]
        assert found == pytest.approx(np.mean((B @ fit - task.y_test.numpy()) ** 2), rel=1e-6)


def test_the_risk_of_a_group_starts_at_its_signal_and_ends_at_its_noise():
    risk = group_risk(FAST, np.array([0, 1, 100_000]), 0.1, 0.02)
    one = sum((0.015**0.5 * 0.9) ** 2 + 0.02 * 0.1**2 for _ in range(40))
    assert risk == pytest.approx([0.6, one, 0.8])


def test_turns_of_a_curve():
    assert turns(np.array([3.0, 2.0, 1.0, 2.0, 2.5, 0.0])) == ["falls", "rises", "falls"]
    assert turns(np.array([3.0, 1.0, 1.001, 0.5])) == ["falls"]
