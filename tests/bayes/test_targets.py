"""Densities with known moments, each within four standard errors; and one where the draws say that they are wrong."""

import math
from functools import partial

import numpy as np
import pytest
import torch

from gradatim.bayes import SAMPLERS, ess_bulk, nuts, sample


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def assert_moments(trace, means, variances):
    """Mean and mean square of every number, with the error of as many independent draws as they are worth."""
    for draws, mean, variance in zip(trace.columns().values(), means, variances, strict=True):
        for values, expected in ((draws.double() - mean, 0.0), ((draws.double() - mean).square(), variance)):  # fmt: skip
            error = float(values.std()) / math.sqrt(float(ess_bulk(values)))
            assert float(values.mean()) == pytest.approx(expected, abs=4 * error)


@pytest.mark.parametrize("sampler", ["nuts", "hmc"])
def test_a_gaussian_of_condition_10_000_in_100_dimensions(sampler):
    scales = torch.logspace(-2, 0, 100).double()

    def log_density(x):
        return -(x / scales).square().sum(1) / 2

    start = torch.randn(16, 100, generator=generator()).double()
    trace = sample(log_density, start, sampler=sampler, draws=200, warmup=200)
    assert_moments(trace, np.zeros(100), scales.square().tolist())
    assert trace.divergences == 0


@pytest.mark.parametrize("sampler", ["nuts", "hmc"])
def test_a_banana(sampler):
    """x ~ N(0, 1), y | x ~ N(x²/2, 1): the mean of y is ½, its variance 1 + ¼ · 2."""

    def log_density(x):
        return -x[:, 0].square() / 2 - (x[:, 1] - x[:, 0].square() / 2).square() / 2

    start = torch.randn(64, 2, generator=generator()).double()
    trace = sample(log_density, start, sampler=sampler, draws=150, warmup=150)
    assert_moments(trace, [0, 0.5], [1, 1.5])


@pytest.mark.parametrize("sampler", ["nuts", "hmc"])
def test_conjugate_regression(sampler):
    """Weights N(0, 1), noise of variance ¼: the posterior is N(m, S), S⁻¹ = I + 4XᵀX, m = 4SXᵀy."""
    g = generator(1)
    X = torch.randn(30, 5, generator=g).double() * torch.logspace(-1, 1, 5)
    y = X @ torch.tensor([1.0, -1.0, 0.5, 0.0, 2.0]).double() + 0.5 * torch.randn(30, generator=g)
    S = torch.linalg.inv(torch.eye(5) + 4 * X.T @ X)

    def log_density(w):
        return -w.square().sum(1) / 2 - 2 * (y - w @ X.T).square().sum(1)

    trace = sample(log_density, torch.randn(32, 5, generator=g).double(), sampler=sampler, draws=150, warmup=150)  # fmt: skip
    assert_moments(trace, (4 * S @ X.T @ y).tolist(), S.diagonal().tolist())
    found = torch.cov(trace.draws.flatten(0, 1).T)
    torch.testing.assert_close(found, S, rtol=0, atol=0.1 * float(S.diagonal().max()))


def test_a_funnel_without_its_centre():
    """v = 3u, xᵢ = e^{v/2} zᵢ with u, z ~ N(0, 1): all that the sampler sees is N(0, I)."""

    def log_density(v):
        return -v["u"].square() / 2 - v["z"].square().sum(1) / 2

    start = {"u": torch.randn(16, generator=generator()), "z": torch.randn(16, 9, generator=generator(1))}  # fmt: skip
    trace = sample(log_density, start, draws=150, warmup=150)
    v = 3 * trace.draws["u"].double()
    for values, expected in ((v, 0.0), (v.square(), 9.0)):
        error = float(values.std()) / math.sqrt(float(ess_bulk(values)))
        assert float(values.mean()) == pytest.approx(expected, abs=4 * error)
    assert trace.is_trusted, trace.verdict


@pytest.mark.parametrize("seed", [0, 1])
def test_a_funnel_with_its_centre_is_not_trusted(seed):
    """v ~ N(0, 9), xᵢ | v ~ N(0, eᵛ): the neck is too narrow for any step."""

    def log_density(x):
        v = x[:, 0]
        return -v.square() / 18 - x[:, 1:].square().sum(1) * (-v).exp() / 2 - 9 * v / 2

    start = torch.randn(32, 10, generator=generator(seed))
    short = SAMPLERS["nuts"]._replace(step=partial(nuts.step, max_depth=6))
    trace = sample(log_density, start, sampler=short, draws=60, warmup=50, seed=seed)
    assert not trace.is_trusted
