"""What tricks are worth and where generalization breaks: the claims hold, and the formulas behind them."""

import numpy as np
import pytest
import torch

from gradatim import experiments
from gradatim.experiments.generalization import label_noise, normalization, tricks_ablation

NAMES = (
    "normalization",
    "label-noise",
    "augmentation",
    "tricks-ablation",
    "generalization-breaks",
    "dropout-redundancy",
    "flat-units",
    "lasso",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures


@pytest.mark.parametrize("kind", [label_noise.spread_evenly, label_noise.next_class])
def test_what_is_meant_follows_from_what_is_said_by_bayes(kind):
    said = kind(0.3).double()
    meant = label_noise.meant(said)
    torch.testing.assert_close(meant.sum(1), torch.ones(10).double())
    for y in range(10):
        odds = torch.tensor([0.1 * float(said[k, y]) for k in range(10)]).double()
        torch.testing.assert_close(meant[y], odds / odds.sum())


def test_the_last_layer_says_the_mixture_of_what_is_meant():
    said = label_noise.next_class(0.45)
    odds = label_noise.Said(said)(torch.zeros(1, 10)).exp()
    torch.testing.assert_close(odds, torch.full((1, 10), 0.1))
    sure = label_noise.Said(said)(torch.eye(10)[:1] * 50).exp()[0]
    assert sure[:2].tolist() == pytest.approx([0.55, 0.45], abs=1e-6)


def test_white_inputs_are_white():
    x = normalization.whiten(normalization.draw_inputs(3))
    torch.testing.assert_close(x.T @ x / len(x), torch.eye(5).double())
    assert x.mean(0).abs().max() < 1e-12


def test_effects_are_those_of_a_table_made_by_hand():
    """Only restarts matter: they take a tenth off, whatever else is on."""
    table = {c: [(0.9 if c[4] else 1.0, 0.0)] * 3 for c in np.ndindex(2, 2, 2, 2, 2)}
    table = {tuple(bool(v) for v in c): values for c, values in table.items()}
    found = tricks_ablation.effects(table)
    assert found["restarts"].tolist() == pytest.approx([100 * np.log(0.9)] * 3)
    assert all(np.abs(found[t]).max() < 1e-12 for t in tricks_ablation.TRICKS[:4])
