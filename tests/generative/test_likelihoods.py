import math

import pytest
import torch
from scipy import stats

from gradatim.errors import InvalidType, InvalidValue
from gradatim.generative import Bernoulli, Gaussian, Likelihood
from gradatim.generative.likelihoods import build_likelihood


def test_bernoulli_log_prob_is_that_of_scipy():
    logits, x = torch.randn(3, 4).double(), torch.randint(2, (3, 4)).double()
    expected = stats.bernoulli(logits.sigmoid().numpy()).logpmf(x.numpy()).sum(1)
    assert Bernoulli()(logits, x).numpy() == pytest.approx(expected)


def test_gaussian_log_prob_is_that_of_scipy():
    mean, x = torch.randn(2, 3, 4).double()
    likelihood = Gaussian(4).double()
    likelihood.log_variance.data = torch.randn(4).double()
    scale = likelihood.log_variance.detach().exp().sqrt().numpy()
    expected = stats.norm(mean.numpy(), scale).logpdf(x.numpy()).sum(1)
    assert likelihood(mean, x).detach().numpy() == pytest.approx(expected)


@pytest.mark.parametrize("likelihood", [Bernoulli(), Gaussian()])
def test_images_and_several_draws_keep_their_rows(likelihood):
    decoded, x = torch.randn(5, 3, 1, 2, 2), torch.rand(3, 1, 2, 2)
    together = likelihood(decoded, x)
    assert together.shape == (5, 3)
    torch.testing.assert_close(together[4, 1], likelihood(decoded[4, 1:2], x[1:2])[0])
    flat = likelihood(decoded.flatten(2), x.flatten(1))
    torch.testing.assert_close(together, flat)


def test_probabilities_of_all_bits_sum_to_one():
    bits = torch.cartesian_prod(*[torch.tensor([0.0, 1.0])] * 3)
    total = Bernoulli()(torch.randn(1, 3).expand(8, 3), bits).exp().sum()
    assert float(total) == pytest.approx(1)


@pytest.mark.parametrize(
    ("likelihood", "mean", "variance"),
    [(Bernoulli(), 1 / (1 + math.e), None), (Gaussian(variance=4.0), -1.0, 4.0)],
)
def test_draws_have_the_mean_and_variance_they_should(likelihood, mean, variance):
    decoded = torch.full((40_000, 1), -1.0)
    with torch.no_grad():
        drawn = likelihood.sample(decoded, generator=torch.Generator().manual_seed(0))
    assert float(likelihood.mean(decoded)[0]) == pytest.approx(mean)
    assert float(drawn.mean()) == pytest.approx(mean, abs=0.05)
    expected = mean * (1 - mean) if variance is None else variance
    assert float(drawn.var()) == pytest.approx(expected, rel=0.05)


def test_the_best_variance_is_the_mean_squared_error():
    decoded, x = torch.zeros(50, 2), torch.randn(50, 2)
    likelihood = Gaussian(2)
    with torch.no_grad():
        likelihood.log_variance.copy_(x.square().mean(0).log())
    (gradient,) = torch.autograd.grad(likelihood(decoded, x).mean(), likelihood.log_variance)
    torch.testing.assert_close(gradient, torch.zeros(2), atol=1e-6, rtol=0)


def test_a_fixed_variance_stays():
    assert not Gaussian(is_learned=False).log_variance.requires_grad


def test_a_likelihood_may_be_of_ones_own():
    class Laplace(Likelihood):
        def log_prob(self, decoded, x):
            return torch.distributions.Laplace(decoded, 1.0).log_prob(x).sum(-1)

        def mean(self, decoded):
            return decoded

        def sample(self, decoded, *, generator=None):
            return decoded

    own = Laplace()
    assert build_likelihood("VAE", own) is own


@pytest.mark.parametrize(
    ("build", "kind", "message"),
    [
        (lambda: Gaussian(0), InvalidValue, "Gaussian: dim must be at least 1 or None, got 0"),
        (lambda: Gaussian(variance=0.0), InvalidValue, "Gaussian: variance must be more than 0, got 0.0"),
        (lambda: build_likelihood("VAE", "bernouli"), InvalidValue, "VAE: likelihood must be one of bernoulli, gaussian"),
        (lambda: build_likelihood("VAE", 3), InvalidType, "VAE: likelihood must be a name or a Likelihood, got int"),
    ],
)  # fmt: skip
def test_errors(build, kind, message):
    with pytest.raises(kind, match=message):
        build()
