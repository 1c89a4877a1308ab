import math

import pytest
import torch
from torch import nn
from torch.nn.utils import vector_to_parameters

from gradatim.bayes import network_log_density, sample, sgld
from gradatim.models import MLP

from .conjugate import NOISE, PRECISION, line, posterior


def by_hand(model, row, X, y, is_class):
    """The log-density of one network, a number at a time, in double precision."""
    vector_to_parameters(row, model.parameters())
    total = sum(-0.7 * float(w) ** 2 / 2 + math.log(0.7 / (2 * math.pi)) / 2 for w in row)
    for x, t in zip(X, y, strict=True):
        out = model(x[None])[0].tolist()
        if is_class:
            total += out[int(t)] - math.log(sum(math.exp(v) for v in out))
        else:
            total += sum(-((float(a) - b) ** 2) / 0.4 - math.log(0.4 * math.pi) / 2 for a, b in zip(t, out, strict=True))  # fmt: skip
    return total


@pytest.mark.parametrize("is_class", [True, False])
def test_it_is_prior_times_likelihood(is_class):
    g = torch.Generator().manual_seed(1)
    model = MLP((2, 3, 2), activation="tanh").double()
    X = torch.randn(7, 2, generator=g, dtype=torch.float64)
    y = torch.arange(7) % 2 if is_class else torch.randn(7, 2, generator=g, dtype=torch.float64)
    density = network_log_density(model, X, y, noise=0.2, precision=0.7)
    theta = torch.randn(4, 17, generator=g, dtype=torch.float64)
    found = density(theta)
    expected = [by_hand(model, row, X, y, is_class) for row in theta]
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64))


def test_the_gradient_is_right_and_each_chain_has_its_own():
    density = network_log_density(MLP((2, 3, 2)).double(), torch.randn(5, 2).double(), torch.tensor([0, 1, 1, 0, 1]))  # fmt: skip
    theta = torch.randn(2, 17, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(density, [theta])
    (g,) = torch.autograd.grad(density(theta)[0], theta)
    assert g[0].any()
    assert not g[1].any()


def test_batches_are_right_in_the_mean():
    density = network_log_density(MLP((2, 3, 1)).double(), *line(12), noise=0.1)
    theta = density.start(3, source="prior", generator=torch.Generator().manual_seed(0))
    parts = [density.estimate(rows)(theta) for rows in torch.arange(12).split(3)]
    torch.testing.assert_close(torch.stack(parts).mean(0), density(theta))


def test_a_linear_model_has_the_posterior_of_the_normal_equations():
    X, y = line()
    density = network_log_density(nn.Linear(2, 1).double(), X, y, noise=NOISE, precision=PRECISION)
    start = density.start(16, source="prior", generator=torch.Generator().manual_seed(0))
    trace = sample(density, start, sampler="hmc", draws=400, warmup=200, progress=False)
    assert trace.is_trusted
    mean, covariance = posterior(X, y)
    table = trace.summary()
    error = 4 * table["sd"] / table["ess_bulk"] ** 0.5
    assert ((table["mean"] - mean[:, 0].numpy()).abs() < error).all()
    squares = (trace.draws - mean[:, 0]).square().flatten(0, 1)
    size = torch.tensor(table["ess_bulk"].to_numpy()).clamp(max=6400) / 4
    spread = 4 * squares.std(0) / size.sqrt()
    assert ((squares.mean(0) - covariance.diagonal()).abs() < spread).all()


def test_a_sampler_on_batches_takes_it():
    X, y = line(200)
    density = network_log_density(nn.Linear(2, 1).double(), X, y, noise=NOISE, precision=PRECISION)
    g = torch.Generator().manual_seed(0)
    state, seen = sgld.init(density, density.start(200, source="prior", generator=g)), []
    for step in range(600):
        estimate = density.estimate(torch.randint(200, (100,), generator=g))
        state, _ = sgld.step(estimate, state, lr=1e-4, generator=g)
        if step >= 200:
            seen.append(state.position)
    mean, _ = posterior(X, y)
    torch.testing.assert_close(torch.stack(seen).mean((0, 1)), mean[:, 0], atol=0.01, rtol=0)


def test_starts_and_predictions():
    model = MLP((2, 3, 2))
    density = network_log_density(model, torch.randn(6, 2), torch.tensor([0, 1, 0, 1, 0, 1]), precision=4.0)  # fmt: skip
    prior = density.start(2000, source="prior", generator=torch.Generator().manual_seed(0))
    assert prior.std().item() == pytest.approx(0.5, rel=0.02)
    own = density.start(5, spread=0.0)
    assert torch.equal(own, own[:1].expand(5, -1))
    x = torch.randn(4, 2)
    torch.testing.assert_close(density.predict(own[0], x), model(x).softmax(1).detach())
    assert density.predict(prior.reshape(20, 100, -1), x).shape == (20, 100, 4, 2)
    with pytest.raises(ValueError, match="source must be one of prior, weights, got 'pior'"):
        density.start(2, source="pior")
    with pytest.raises(ValueError, match="chains must be a whole number from 1"):
        density.start(0)
    with pytest.raises(ValueError, match="spread must be at least 0"):
        density.start(1, spread=-1.0)


def test_bad_priors_and_models():
    X, y = line()
    with pytest.raises(ValueError, match="network_log_density: precision must be positive and finite, got 0"):  # fmt: skip
        network_log_density(nn.Linear(2, 1), X, y, precision=0.0)
    with pytest.raises(ValueError, match="model must return a tensor with a row per row of X"):
        network_log_density(nn.Sequential(nn.Linear(2, 1), nn.Flatten(0)), X, y)
