"""The experiments on networks that say what they do not know hold, in versions of a few seconds."""

import math

import pytest
import torch

from gradatim import experiments
from gradatim.bayes import Predictive
from gradatim.experiments.bayes import bayesian_network, calibration

PICTURES = {"bayesian-network": ["methods"], "calibration": ["calibration"]}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 9
    assert [picture.name for picture in report.pictures] == PICTURES[name]


def test_rows_lie_in_two_clouds_and_the_gap_between_them_is_looked_at():
    rows = bayesian_network.draw_rows(bayesian_network.Settings(seed=3))
    assert ((rows.x.abs() >= 1) & (rows.x.abs() <= 2)).all()
    assert (rows.x > 0).sum() == (rows.x < 0).sum() == 15
    std = (2 - rows.grid.abs()).clamp(min=0.5)  # 2 in the middle, 0.5 at both ends
    said = Predictive(torch.zeros(len(std), 1), std, std[None])
    told = bayesian_network.Told(said, said)
    assert told.doubt(rows) == pytest.approx(2**2 / (0.5**2 + 0.5**2))


def test_the_share_of_wrong_labels_and_what_is_no_digit():
    rows = calibration.draw_rows(calibration.Settings(seed=0, wrong=0.0))
    wrong = calibration.draw_rows(calibration.Settings(seed=0, wrong=0.2))
    labels = [torch.cat([part[1] for part in own[:3]]) for own in (rows, wrong)]
    assert (labels[0] != labels[1]).double().mean() == pytest.approx(0.2, abs=0.03)
    assert torch.equal(rows.off.sort(1).values, rows.new[0].sort(1).values)


def test_figures_of_known_probabilities():
    p = torch.tensor([[0.5, 0.5], [0.5, 0.5]])
    figures = calibration.measure(calibration.Told(p, torch.eye(2)), torch.tensor([0, 1]))
    assert figures.loss == pytest.approx(math.log(2))
    assert figures.entropy == pytest.approx(math.log(2))
    assert figures.entropy_off == 0
    assert figures.calibration == 0
