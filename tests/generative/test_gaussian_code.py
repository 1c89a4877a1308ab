import pytest
import torch
from torch.distributions import Normal, kl_divergence

from gradatim.errors import InvalidValue
from gradatim.generative import gaussian_kl, keep_free_bits, reparameterize


def test_the_divergence_is_that_of_many_draws():
    mean, log_variance = torch.tensor([0.7, -1.2]), torch.tensor([-1.0, 0.5])
    q, p = Normal(mean, (0.5 * log_variance).exp()), Normal(torch.zeros(2), torch.ones(2))
    noise = torch.randn(200_000, 2, generator=torch.Generator().manual_seed(0))
    z = reparameterize(mean, log_variance, noise)
    gaps = q.log_prob(z) - p.log_prob(z)
    error = gaps.std(0) / len(z) ** 0.5
    assert ((gaps.mean(0) - gaussian_kl(mean, log_variance)).abs() < 4 * error).all()


def test_the_divergence_is_that_of_pytorch():
    mean, log_variance = torch.randn(2, 5, 3).double()
    expected = kl_divergence(
        Normal(mean, (0.5 * log_variance).exp()), Normal(torch.zeros(3).double(), 1.0)
    )
    torch.testing.assert_close(gaussian_kl(mean, log_variance), expected)


def test_near_the_prior_digits_are_kept():
    log_variance = torch.tensor([1e-4])
    assert float(gaussian_kl(torch.zeros(1), log_variance)) == pytest.approx(2.5e-9, rel=0.1)


def test_a_gradient_passes_through_a_draw():
    mean, log_variance, noise = torch.randn(3, 4, 2).double()
    inputs = [mean.requires_grad_(), log_variance.requires_grad_()]
    assert torch.autograd.gradcheck(lambda m, v: reparameterize(m, v, noise), inputs)
    assert torch.autograd.gradcheck(gaussian_kl, inputs)


def test_free_bits_are_not_paid_for_and_not_pushed_down():
    kl = torch.tensor([[0.1, 2.0], [0.2, 4.0]], requires_grad=True)
    total = keep_free_bits(kl, 0.5)
    assert float(total.detach()) == pytest.approx(0.5 + 3.0)
    (gradient,) = torch.autograd.grad(total, kl)
    assert gradient.tolist() == [[0.0, 0.5], [0.0, 0.5]]


def test_without_free_bits_it_is_the_mean_of_sums():
    kl = torch.rand(7, 3)
    torch.testing.assert_close(keep_free_bits(kl, 0.0), kl.sum(1).mean())


def test_free_bits_are_not_negative():
    with pytest.raises(InvalidValue, match="keep_free_bits: free_bits must be at least 0, got -1"):
        keep_free_bits(torch.zeros(1, 1), -1.0)
