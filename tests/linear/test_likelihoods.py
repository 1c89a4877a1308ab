"""The likelihood table: torch.distributions, worked losses, and the constants that maximize likelihood."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import distributions as D

from gradatim.errors import InvalidValue
from gradatim.linear import LIKELIHOODS, likelihood, negative_log_likelihood

G = torch.Generator().manual_seed(0)
N = 50
NOISE = torch.randn(N, generator=G, dtype=torch.float64)
COUNTS = torch.poisson(torch.full((N,), 3.0, dtype=torch.float64), generator=G)
TARGETS = {
    "gaussian": 2 * NOISE,
    "laplace": NOISE,
    "bernoulli": (NOISE > 0.3).double(),
    "categorical": (torch.arange(N) ** 2) % 3,
    "poisson": COUNTS,
    "exponential": NOISE.abs() + 0.1,
}
DISTRIBUTIONS = {
    "gaussian": lambda f, s: D.Normal(f, s),
    "laplace": lambda f, s: D.Laplace(f, s),
    "bernoulli": lambda f, s: D.Bernoulli(logits=f),
    "categorical": lambda f, s: D.Categorical(logits=f),
    "poisson": lambda f, s: D.Poisson(f.exp()),
    "exponential": lambda f, s: D.Exponential((-f).exp()),
}


@pytest.mark.parametrize("name", LIKELIHOODS)
@pytest.mark.parametrize("scale", [1.0, 0.4])
def test_negative_log_likelihood_agrees_with_torch_distributions(name, scale):
    shape = (N, 3) if name == "categorical" else (N,)
    output = torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    expected = -DISTRIBUTIONS[name](output, scale).log_prob(TARGETS[name])
    measured = negative_log_likelihood(name, output, TARGETS[name], scale=scale)
    torch.testing.assert_close(measured, expected)


@pytest.mark.parametrize("name", [name for name in LIKELIHOODS if name != "categorical"])
def test_least_loss_is_most_likely_on_a_grid(name):
    grid = torch.linspace(-3, 3, 6001, dtype=torch.float64)[:, None]
    target = TARGETS[name]
    loss = likelihood(name).loss(grid.expand(-1, N), target.expand(len(grid), -1)).sum(1)
    log_likelihood = DISTRIBUTIONS[name](grid, 0.7).log_prob(target).sum(1)
    assert loss[log_likelihood.argmax()].item() == pytest.approx(loss.min().item(), abs=1e-10)
    best = grid[loss.argmin()].item()
    constant = likelihood(name).best_constant(target).item()
    if name == "laplace":  # every point between the two middle targets is a median
        ordered = target.sort().values
        assert ordered[N // 2 - 1] <= constant <= ordered[N // 2]
    else:
        assert best == pytest.approx(constant, abs=1e-3)


def test_best_categorical_constant_is_the_log_of_the_shares():
    target = TARGETS["categorical"]
    best = likelihood("categorical").best_constant(target[target < 2])
    torch.testing.assert_close(
        torch.softmax(best, 0),
        torch.tensor([(target == k).sum() / (target < 2).sum() for k in (0, 1)]).double(),
        rtol=1e-6,
        atol=0,
    )
    logits = best.clone().requires_grad_()
    kept = target[target < 2]
    loss = likelihood("categorical").loss(logits.expand(len(kept), -1), kept).mean()
    (gradient,) = torch.autograd.grad(loss, logits)
    assert gradient.abs().max() < 1e-12


def test_gaussian_likelihood_peaks_at_the_sample_mean():
    sample = torch.tensor([1.0, 2.5, 4.0, 0.5], dtype=torch.float64)
    grid = torch.linspace(0, 4, 4001, dtype=torch.float64)[:, None]
    nll = negative_log_likelihood("gaussian", grid, sample).sum(1)
    assert grid[nll.argmin()].item() == pytest.approx(2.0, abs=1e-3)
    expected = 4 / 2 * math.log(2 * math.pi) + ((sample - 2.0) ** 2).sum().item() / 2
    assert nll.min().item() == pytest.approx(expected, abs=1e-6)


def test_worked_regression_losses():
    t = torch.tensor([2.0, 5.0, 6.0, 3.0])
    y = torch.tensor([3.0, 4.0, 8.0, 2.0], requires_grad=True)
    squares = likelihood("gaussian").loss(y, t)
    assert squares.tolist() == [1, 1, 4, 1]
    assert squares.sum().item() == 7
    assert squares.mean().item() == 1.75
    assert likelihood("laplace").loss(y, t).mean().item() == 1.25
    (gradient,) = torch.autograd.grad(squares.mean(), y)
    assert gradient.tolist() == [0.5, -0.5, 1.0, -0.5]
    assert 1 - squares.sum().item() / (t - t.mean()).square().sum().item() == pytest.approx(0.3)
    ten, one = likelihood("gaussian").loss(torch.tensor([10.0, 1.0]), torch.zeros(2)).tolist()
    assert ten == 100 * one


def test_worked_binary_cross_entropy():
    probabilities = torch.tensor([0.9, 0.2, 0.4, 0.6], dtype=torch.float64)
    t = torch.tensor([1.0, 0.0, 1.0, 0.0], dtype=torch.float64)
    logits = torch.logit(probabilities).requires_grad_()
    terms = likelihood("bernoulli").loss(logits, t)
    assert terms.tolist() == pytest.approx([0.105, 0.223, 0.916, 0.916], abs=5e-4)
    assert terms.mean().item() == pytest.approx(0.54027, abs=5e-6)
    (gradient,) = torch.autograd.grad(terms.sum(), logits)
    torch.testing.assert_close(gradient, probabilities - t)


def test_worked_cross_entropy_and_its_gradient():
    logits = torch.tensor([[2.0, 1.0, 0.1]] * 3, dtype=torch.float64, requires_grad=True)
    loss = likelihood("categorical").loss(logits, torch.tensor([0, 1, 2]))
    assert loss.tolist() == pytest.approx([0.41703, 1.41703, 2.31703], abs=5e-6)
    (gradient,) = torch.autograd.grad(loss.sum(), logits)
    probabilities = torch.tensor([0.659001, 0.242433, 0.098566], dtype=torch.float64)
    one_hot = torch.eye(3, dtype=torch.float64)  # cat, dog, bird
    torch.testing.assert_close(gradient, probabilities - one_hot, atol=1e-6, rtol=0)
    assert torch.autograd.gradcheck(
        lambda z: likelihood("categorical").loss(z, torch.tensor([0, 1, 2])), logits
    )


@settings(max_examples=30, deadline=None)
@given(st.floats(-30, 30), st.integers(0, 1))
def test_two_class_cross_entropy_is_binary_cross_entropy(z, t):
    pair = torch.tensor([[0.0, z]], dtype=torch.float64)
    ce = likelihood("categorical").loss(pair, torch.tensor([t]))
    bce = likelihood("bernoulli").loss(
        torch.tensor([z], dtype=torch.float64), torch.tensor([float(t)])
    )
    torch.testing.assert_close(ce, bce)


def test_losses_at_1e30():
    z = torch.tensor([1e30, -1e30])
    ones = torch.ones(2)
    assert likelihood("bernoulli").loss(z, ones).tolist() == pytest.approx([0.0, 1e30])
    assert likelihood("categorical").loss(
        torch.stack([z, -z], 1), torch.tensor([0, 0])
    ).tolist() == pytest.approx([0.0, 2e30])
    assert likelihood("laplace").loss(z, ones).tolist() == pytest.approx([1e30, 1e30])


def test_errors():
    with pytest.raises(
        InvalidValue, match=r"likelihood: name must be one of gaussian, .*got 'gausian'"
    ):
        likelihood("gausian")
    with pytest.raises(
        InvalidValue, match=r"negative_log_likelihood: scale must be positive, got 0"
    ):
        negative_log_likelihood("gaussian", torch.zeros(1), torch.zeros(1), scale=0)
