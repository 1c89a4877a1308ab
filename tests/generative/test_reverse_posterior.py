import pytest
import torch

from gradatim.generative import NoiseSchedule, posterior_mean, posterior_variance


def brute_force(x0, x_t, beta, before):
    """Mean and variance of q(x_{t-1} | x_t, x_0) on a grid, by Bayes' rule and nothing else."""
    grid = torch.linspace(-12, 12, 200_001, dtype=torch.float64)
    log = -((grid - before**0.5 * x0) ** 2) / (2 * (1 - before))
    log = log - (x_t - (1 - beta) ** 0.5 * grid) ** 2 / (2 * beta)
    weight = (log - log.max()).exp()
    weight = weight / weight.sum()
    mean = (weight * grid).sum()
    return mean.item(), (weight * (grid - mean) ** 2).sum().item()


@pytest.mark.parametrize("step", [2, 10, 29])
def test_mean_and_variance_by_brute_force(step):
    schedule = NoiseSchedule("linear", 30)
    beta = schedule.betas[step - 1].item()
    now, before = schedule.alpha_bar(torch.tensor([step / 30, (step - 1) / 30], dtype=torch.float64))  # fmt: skip
    mean, variance = brute_force(1.3, -0.4, beta, before.item())
    x0, x_t = (torch.tensor([[v]], dtype=torch.float64) for v in (1.3, -0.4))
    assert posterior_mean(x0, x_t, now, before).item() == pytest.approx(mean, abs=1e-6)
    assert posterior_variance(now, before).item() == pytest.approx(variance, abs=1e-6)


def test_steps_may_be_jumped_over():
    """Two steps at once are one step of their joint noise."""
    betas = (0.1, 0.3)
    before, now = 0.8, 0.8 * 0.9 * 0.7
    joint = 1 - (1 - betas[0]) * (1 - betas[1])
    mean, variance = brute_force(0.7, 1.1, joint, before)
    levels = torch.tensor([now, before], dtype=torch.float64)
    x0, x_t = torch.tensor([[0.7]], dtype=torch.float64), torch.tensor([[1.1]], dtype=torch.float64)
    assert posterior_mean(x0, x_t, *levels).item() == pytest.approx(mean, abs=1e-6)
    assert posterior_variance(*levels).item() == pytest.approx(variance, abs=1e-6)


@pytest.mark.parametrize("spread", [0.0, 0.5, 1.0])
def test_the_variance_of_the_step_back_lies_between_both_ends(spread):
    """Of Gaussian data it is known: β̃ for one point, β for the standard Gaussian, between them for what is between."""
    now, before = torch.tensor([0.4, 0.5], dtype=torch.float64)
    beta, low = 1 - now / before, posterior_variance(now, before)
    own = before * spread + 1 - before  # variance of x_{t-1}
    back = own * beta / ((1 - beta) * own + beta)  # of x_{t-1} given x_t
    assert low - 1e-12 <= back <= beta + 1e-12
    if spread in (0.0, 1.0):
        torch.testing.assert_close(back, beta if spread else low)


def test_the_last_step_is_the_data():
    x0 = torch.randn(4, 3)
    mean = posterior_mean(x0, torch.randn(4, 3), torch.tensor(0.9), torch.tensor(1.0))
    torch.testing.assert_close(mean, x0)
    assert posterior_variance(torch.tensor(0.9), torch.tensor(1.0)) == 0


def test_the_gradient():
    parts = [torch.randn(3, 2, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    levels = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in (0.3, 0.6)]
    assert torch.autograd.gradcheck(posterior_mean, (*parts, *levels))
