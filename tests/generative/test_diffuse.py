import torch

from gradatim.generative import NoiseSchedule, diffuse


def test_one_step_has_the_moments_of_all_steps():
    """The chain's mean and variance, step by step, without a draw."""
    schedule = NoiseSchedule("linear", 100)
    mean, variance = 1.0, 0.0
    for t, beta in enumerate(schedule.betas.tolist(), 1):
        mean, variance = mean * (1 - beta) ** 0.5, variance * (1 - beta) + beta
        alpha_bar = schedule.alpha_bar(torch.tensor([t / 100], dtype=torch.float64))
        one, none = torch.ones(1, 1, dtype=torch.float64), torch.zeros(1, 1, dtype=torch.float64)
        torch.testing.assert_close(diffuse(one, none, alpha_bar).item(), mean)
        torch.testing.assert_close(diffuse(none, one, alpha_bar).item() ** 2, variance)


def test_drawn_chains_are_distributed_like_one_step():
    generator = torch.Generator().manual_seed(0)
    schedule = NoiseSchedule("linear", 40)
    x = start = torch.full((40_000, 1), 1.5, dtype=torch.float64)
    for beta in schedule.betas:
        noise = torch.randn(x.shape, generator=generator, dtype=x.dtype)
        x = (1 - beta).sqrt() * x + beta.sqrt() * noise
        if beta == schedule.betas[9]:
            early = x
    for drawn, time in ((early, 0.25), (x, 1.0)):
        alpha_bar = schedule.alpha_bar(torch.tensor(time, dtype=torch.float64))
        noise = torch.randn(x.shape, generator=generator, dtype=x.dtype)
        once = diffuse(start, noise, alpha_bar)
        assert abs(drawn.mean() - once.mean()) < 0.02
        assert abs(drawn.var() / once.var() - 1) < 0.03


def test_energy_is_kept():
    generator = torch.Generator().manual_seed(0)
    x0 = torch.randn(2000, 8, generator=generator).sign()  # of energy 8 each
    noise = torch.randn(2000, 8, generator=generator)
    for share in (0.9, 0.5, 0.1):
        energy = diffuse(x0, noise, torch.tensor(share)).square().sum(1).mean()
        assert abs(energy - 8) < 0.2


def test_each_row_has_its_level():
    x = diffuse(torch.ones(2, 1, 2, 2), torch.zeros(2, 1, 2, 2), torch.tensor([1.0, 0.25]))
    assert x[0].unique().tolist() == [1.0]
    assert x[1].unique().tolist() == [0.5]


def test_the_gradient():
    parts = [torch.randn(3, 2, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    level = torch.tensor([0.2, 0.5, 0.9], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(diffuse, (*parts, level))
