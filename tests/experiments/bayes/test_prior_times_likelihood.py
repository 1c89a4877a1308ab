"""Bayes' theorem for one and two weights."""

import torch

from gradatim import experiments
from gradatim.experiments.bayes.prior_times_likelihood import NOISE, Gaussian, update


def test_every_claim_holds():
    report = experiments.run("prior-times-likelihood", quick=True, overrides={"seed": "1"})
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == ["one-weight", "two-weights"]


def test_one_observation_of_a_mean_is_weighed_by_precisions():
    prior = Gaussian(torch.tensor([2.0]).double(), torch.tensor([[0.25]]).double())
    posterior = update(prior, torch.ones(1, 1).double(), torch.tensor([1.0]).double())
    precision = 1 / 0.25 + 1 / NOISE**2
    assert abs(posterior.mean.item() - (2.0 / 0.25 + 1.0 / NOISE**2) / precision) < 1e-12
    assert abs(posterior.covariance.item() - 1 / precision) < 1e-12
