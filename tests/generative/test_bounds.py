import pytest
import torch
from torch.distributions import MultivariateNormal, kl_divergence

from gradatim.errors import InvalidValue
from gradatim.generative import bounds, elbo, importance_weighted_bound, log_weights

from .linear_gaussian import evidence, linear_gaussian, posterior


@pytest.fixture
def vae():
    return linear_gaussian()


@pytest.fixture
def x(vae):
    return vae.sample(6, generator=torch.Generator().manual_seed(1)).double()


def seed(number):
    return torch.Generator().manual_seed(number)


@torch.no_grad()
def test_what_the_bound_misses_is_the_divergence_from_the_posterior(vae, x):
    mean, log_variance = vae.encode(x)
    centres, covariance = posterior(vae, x)
    q = MultivariateNormal(mean, torch.diag_embed(log_variance.exp()))
    gap = kl_divergence(q, MultivariateNormal(centres, covariance))
    found = evidence(vae).log_prob(x) - elbo(vae, x, samples=100_000, generator=seed(0)).bound
    torch.testing.assert_close(found, gap, rtol=0.02, atol=0.02)


@torch.no_grad()
def test_every_weight_has_the_likelihood_as_its_mean(vae, x):
    vae.encoder.weight.mul_(0.3)
    weights = log_weights(vae, x, 100_000, generator=seed(0)).exp()
    truth = evidence(vae).log_prob(x).exp()
    error = weights.std(0) / 100_000**0.5
    assert ((weights.mean(0) - truth).abs() < 4 * error).all()


@torch.no_grad()
def test_more_samples_are_never_worse_and_one_is_the_elbo(vae, x):
    many = x.repeat(4_000, 1)
    by_count = [
        importance_weighted_bound(vae, many, k, generator=seed(k)).mean() for k in (1, 2, 5, 20)
    ]
    truth = evidence(vae).log_prob(x).mean()
    assert all(a < b for a, b in zip(by_count, [*by_count[1:], truth], strict=True))
    single = elbo(vae, many, generator=seed(9)).bound.mean()
    assert float(by_count[0]) == pytest.approx(float(single), abs=0.1)


@torch.no_grad()
def test_with_the_posterior_as_encoder_all_bounds_are_the_likelihood():
    vae = linear_gaussian(latent=1)  # so that the posterior is diagonal
    x = torch.randn(4, 5).double()
    shift, (start, covariance) = (posterior(vae, x)[0] for _ in range(1)), posterior(vae, x * 0)
    W = next(shift) - start
    vae.encoder.weight[0] = torch.linalg.lstsq(x, W).solution[:, 0]
    vae.encoder.bias[0] = start[0, 0]
    vae.encoder.weight[1], vae.encoder.bias[1] = 0.0, covariance[0, 0].log()
    truth = evidence(vae).log_prob(x)
    for samples in (1, 3):
        torch.testing.assert_close(importance_weighted_bound(vae, x, samples), truth)


@torch.no_grad()
def test_pieces_add_up(vae, monkeypatch):
    monkeypatch.setattr(bounds, "_noise", lambda like, n, generator: like.new_ones(n, *like.shape))
    x = torch.randn(7, 5).double()
    whole = log_weights(vae, x, 1)[0]  # all draws are alike
    for piece in (3, 100):
        monkeypatch.setattr(bounds, "PIECE", piece)
        torch.testing.assert_close(importance_weighted_bound(vae, x, 8), whole)


def test_the_gradient_of_the_elbo_is_that_of_finite_differences(vae):
    x = torch.randn(3, 5).double()

    def bound(weight):
        vae.encoder.weight = torch.nn.Parameter(weight.detach())
        del vae.encoder.weight
        vae.encoder.weight = weight
        return elbo(vae, x, generator=seed(0)).bound

    assert torch.autograd.gradcheck(bound, [vae.encoder.weight.detach().clone().requires_grad_()])


@pytest.mark.parametrize("call", [lambda v, x: elbo(v, x, samples=0), lambda v, x: log_weights(v, x, 0), lambda v, x: importance_weighted_bound(v, x, 0)])  # fmt: skip
def test_there_is_a_sample(vae, call):
    with pytest.raises(InvalidValue, match="samples must be a whole number from 1, got 0"):
        call(vae, torch.zeros(1, 5).double())
