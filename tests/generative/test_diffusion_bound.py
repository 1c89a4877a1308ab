import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative import Diffusion, NoiseSchedule, diffusion_bound, step_weight

from .gaussian_data import SPREAD, Best, draw, log_density


@pytest.mark.parametrize("variance", ["forward", "posterior"])
def test_the_weight_is_the_formula_of_the_notes(variance):
    schedule = NoiseSchedule("linear", 100)
    product, before = 1.0, 1.0
    weights = step_weight(schedule, torch.arange(1, 101), variance=variance)
    for t, beta in enumerate(schedule.betas.tolist(), 1):
        before, product = product, product * (1 - beta)
        low = (1 - before) / (1 - product) * beta
        spread = beta if t == 1 or variance == "forward" else low
        expected = beta**2 / (2 * spread * (1 - beta) * (1 - product))
        assert weights[t - 1].item() == pytest.approx(expected, rel=1e-9)
        if t > 1 and variance == "posterior":
            snr = before / (1 - before) / (product / (1 - product))
            assert weights[t - 1].item() == pytest.approx((snr - 1) / 2, rel=1e-8)


def test_the_smaller_variance_costs_what_it_misses():
    """The best step back of Gaussian data has a variance between both ends; the bound is the likelihood and that gap."""
    model, x = Diffusion(Best(num_steps=40), num_steps=40), draw(20_000)
    generator = torch.Generator().manual_seed(0)
    steps = diffusion_bound(model, x, variance="posterior", generator=generator).steps.mean()
    expected, product = 0.0, 1.0
    for t, beta in enumerate(model.noise_schedule.betas.tolist(), 1):
        before, product = product, product * (1 - beta)
        if t == 1:
            continue
        low = (1 - before) / (1 - product) * beta
        own = before * SPREAD**2 + 1 - before
        right = own * beta / ((1 - beta) * own + beta)  # of x_{t-1} given x_t
        expected += (
            0.5 * (right - low) / low
        )  # the mean of x_{t-1} given x_t and x_0 varies by right - low
    assert steps.item() == pytest.approx(expected, rel=0.02)


def test_with_the_best_network_the_bound_is_nearly_the_likelihood():
    model, x = Diffusion(Best()), draw(400)
    bound = diffusion_bound(model, x, generator=torch.Generator().manual_seed(0))
    gap = bound.total.mean() + log_density(x).mean()
    assert abs(gap) < 0.06


def test_it_stays_a_bound_with_few_steps_and_a_wrong_network():
    x, generator = draw(500), torch.Generator().manual_seed(0)
    for steps in (5, 20):
        few = diffusion_bound(Diffusion(Best(num_steps=steps), num_steps=steps), x, generator=generator)  # fmt: skip
        assert few.total.mean() > -log_density(x).mean()


def test_few_draws_estimate_all_of_them():
    model, x = Diffusion(Best(num_steps=60), num_steps=60), draw(4000)
    bounds = [
        diffusion_bound(model, x, draws=draws, generator=torch.Generator().manual_seed(1))
        for draws in (None, 6)
    ]
    assert bounds[1].steps.mean().item() == pytest.approx(bounds[0].steps.mean().item(), rel=0.03)


def test_what_the_last_step_knows_is_a_divergence_of_gaussians():
    schedule = NoiseSchedule("linear", 3)
    model = Diffusion(Best(num_steps=3), num_steps=3)
    x = torch.tensor([[2.0]], dtype=torch.float64)
    share = schedule.alpha_bar(torch.tensor(1.0, dtype=torch.float64))
    last = torch.distributions.Normal(share.sqrt() * 2.0, (1 - share).sqrt())
    standard = torch.distributions.Normal(torch.zeros(()).double(), torch.ones(()).double())
    expected = torch.distributions.kl_divergence(last, standard)
    assert diffusion_bound(model, x).prior.item() == pytest.approx(expected.item(), rel=1e-9)


def test_values_of_a_grid_have_probabilities_that_add_to_one():
    """All values as rows, and equal noise: the guess of the data moves, the sum over its bins does not."""
    network = Best(num_steps=1)
    network.forward = lambda x, time: torch.zeros_like(x)
    model = Diffusion(network, num_steps=1, predict="x0")
    grid = torch.linspace(-1, 1, 16, dtype=torch.float64)[:, None]
    bound = diffusion_bound(model, grid, levels=16)
    assert (-bound.reconstruction).exp().sum().item() == pytest.approx(1.0, abs=1e-6)


def test_bits_are_nats_by_log_two():
    bound = diffusion_bound(Diffusion(Best(2, num_steps=5), num_steps=5), draw(3, 2))
    torch.testing.assert_close(bound.bits_per_dimension(2), bound.total / 2 / math.log(2))


def test_what_is_wrong_is_said():
    model = Diffusion(Best(num_steps=5), num_steps=5)
    with pytest.raises(InvalidValue, match="levels must be at least 2 or None, got 1"):
        diffusion_bound(model, draw(3), levels=1)
    with pytest.raises(InvalidValue, match="diffusion_bound: variance must be one of"):
        diffusion_bound(model, draw(3), variance="small")
    with pytest.raises(InvalidValue, match="draws must be a whole number from 1, got 0"):
        diffusion_bound(model, draw(3), draws=0)
