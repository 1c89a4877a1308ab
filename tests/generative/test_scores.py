"""Score, reverse equation, flow and likelihood, on a mixture of Gaussians where all of them are known."""

import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative import (
    DiffusedMixture,
    NoiseSchedule,
    flow_log_likelihood,
    probability_flow,
    reverse_sde,
)

SCHEDULE = NoiseSchedule()
MEANS = torch.tensor([[-1.2, 0.0], [0.9, 0.5]], dtype=torch.float64)
MIXTURE = DiffusedMixture(MEANS, 0.3, SCHEDULE, weights=torch.tensor([1.0, 3.0]).double())


def seed(value=0):
    return torch.Generator().manual_seed(value)


def noise(rows):
    return torch.randn(rows, 2, generator=seed(9), dtype=torch.float64)


@pytest.mark.parametrize("time", [0.0, 0.2, 1.0])
def test_the_density_is_the_sum_by_hand_and_the_score_its_slope(time):
    x = noise(5).requires_grad_()
    log = MIXTURE.log_density(x, torch.full((5,), time))
    share = math.exp(SCHEDULE.log_alpha_bar(torch.tensor(time, dtype=torch.float64)).item())
    variance = share * 0.09 + 1 - share
    for i in range(5):
        total = 0.0
        for weight, mean in ((0.25, (-1.2, 0.0)), (0.75, (0.9, 0.5))):
            square = sum((x[i, j].item() - share**0.5 * mean[j]) ** 2 for j in range(2))
            total += weight * math.exp(-square / 2 / variance) / (2 * math.pi * variance)
        assert log[i].item() == pytest.approx(math.log(total), rel=1e-4)
    slope = torch.autograd.grad(log.sum(), x)[0]
    torch.testing.assert_close(MIXTURE.score(x.detach(), torch.full((5,), time)), slope)


def moments(x):
    is_left = x[:, 0] < -0.2
    return torch.stack([is_left.double().mean(), x[~is_left].mean(), x[~is_left].var()])


def test_the_reverse_equation_ends_in_the_mixture():
    found = reverse_sde(MIXTURE.score, SCHEDULE, noise(4000), steps=200, generator=seed())
    expected = MIXTURE.sample(200_000, generator=seed(1))
    torch.testing.assert_close(moments(found), moments(expected), atol=0.03, rtol=0)


def test_the_flow_ends_in_the_mixture_and_comes_back():
    start = noise(1000)
    found = probability_flow(MIXTURE.score, SCHEDULE, start, steps=30)
    expected = MIXTURE.sample(200_000, generator=seed(1))
    torch.testing.assert_close(moments(found), moments(expected), atol=0.03, rtol=0)
    back = probability_flow(MIXTURE.score, SCHEDULE, found, steps=30, start=1e-3, end=1.0)
    torch.testing.assert_close(back, start, atol=5e-3, rtol=0)


def test_the_likelihood_of_the_flow_is_the_density():
    x = MIXTURE.sample(200, generator=seed())
    found = flow_log_likelihood(MIXTURE.score, SCHEDULE, x, steps=60, start=0.0)
    expected = MIXTURE.log_density(x, torch.zeros(200))
    # the last step still knows the means to a hundredth, which the standard Gaussian does not
    torch.testing.assert_close(found, expected, atol=0.03, rtol=0)
    assert abs((found - expected).mean()) < 2e-3


def test_random_directions_are_right_on_average():
    x = MIXTURE.sample(1, generator=seed()).repeat(400, 1)
    exact = flow_log_likelihood(MIXTURE.score, SCHEDULE, x[:1], steps=20)
    one = flow_log_likelihood(MIXTURE.score, SCHEDULE, x, steps=20, num_probes=1, generator=seed())
    error = one.std() / 20
    assert abs(one.mean() - exact) < 4 * error + 1e-6
    few = flow_log_likelihood(MIXTURE.score, SCHEDULE, x, steps=20, num_probes=4, generator=seed())
    assert few.std() < 0.7 * one.std()


def test_samples_have_the_noise_of_their_time():
    drawn = MIXTURE.sample(50_000, 1.0, generator=seed())
    torch.testing.assert_close(drawn.T.cov(), torch.eye(2).double(), atol=0.03, rtol=0)


def test_images_have_a_likelihood_too():
    x = torch.randn(3, 1, 2, 2, dtype=torch.float64)
    found = flow_log_likelihood(lambda x, time: -x, SCHEDULE, x, steps=2)
    expected = torch.distributions.Normal(0.0, 1.0).log_prob(x).sum((1, 2, 3))
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: DiffusedMixture(torch.zeros(2), 1.0, SCHEDULE), r"means must have shape \(K, d\), got \(2,\)"),
        (lambda: DiffusedMixture(MEANS, 0.0, SCHEDULE), "spread must be more than 0, got 0"),
        (lambda: reverse_sde(MIXTURE.score, SCHEDULE, noise(1), steps=0), "reverse_sde: steps must be a whole"),
        (lambda: probability_flow(MIXTURE.score, SCHEDULE, noise(1), end=2.0), "end must be from 0 to 1, got 2"),
        (lambda: flow_log_likelihood(MIXTURE.score, SCHEDULE, noise(1), start=1.0), r"start must be in \[0, 1\), got 1"),
        (lambda: flow_log_likelihood(MIXTURE.score, SCHEDULE, noise(1), num_probes=0), "num_probes must be a whole"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(call, sentence):
    with pytest.raises(InvalidValue, match=sentence):
        call()
