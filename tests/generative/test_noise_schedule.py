import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative import NoiseSchedule, cosine_betas, linear_betas


def test_linear_steps_rise_evenly():
    betas = linear_betas(1000)
    torch.testing.assert_close(betas.diff(), torch.full((999,), 0.0199 / 999, dtype=torch.float64))
    assert betas[0].item() == pytest.approx(1e-4)


def test_fewer_linear_steps_end_alike():
    ends = [NoiseSchedule("linear", steps).alpha_bar(torch.tensor(1.0)) for steps in (200, 1000)]
    assert ends[0].log().item() == pytest.approx(ends[1].log().item(), rel=0.05)


def test_the_cosine_is_one_up_to_its_last_steps():
    left = (1 - cosine_betas(1000)).cumprod(0)
    for t in (1, 250, 500, 900):
        f = [math.cos((s / 1000 + 0.008) / 1.008 * math.pi / 2) ** 2 for s in (t, 0)]
        assert left[t - 1].item() == pytest.approx(f[0] / f[1], rel=1e-9)
    assert cosine_betas(1000).max() == 0.999


@pytest.mark.parametrize("name", ["linear", "cosine"])
def test_steps_and_continuous_time_agree(name):
    schedule = NoiseSchedule(name, 50)
    product = 1.0
    for t, beta in enumerate(schedule.betas.tolist(), 1):
        product *= 1 - beta
        time = torch.tensor(t / 50, dtype=torch.float64)
        assert schedule.alpha_bar(time).item() == pytest.approx(product, rel=1e-9)
    between = (torch.arange(778, dtype=torch.float64) + 0.5) / 778
    slope = (schedule.log_alpha_bar(between + 1e-7) - schedule.log_alpha_bar(between - 1e-7)) / 2e-7
    torch.testing.assert_close(schedule.beta(between), -slope, rtol=1e-4, atol=1e-4)


def test_the_time_has_the_gradient_of_the_schedule():
    schedule = NoiseSchedule("linear", 50)
    time = torch.tensor([0.31, 0.77], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(schedule.log_alpha_bar, time)


def test_a_single_step_is_enough():
    assert NoiseSchedule("cosine", 1).alpha_bar(torch.tensor(1.0)).item() == pytest.approx(0.001)


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidValue, match=r"NoiseSchedule: name must be one of .* Try 'cosine'"):
        NoiseSchedule("cosin")
    with pytest.raises(InvalidValue, match="num_steps must be a whole number from 1, got 0"):
        NoiseSchedule("linear", 0)
    with pytest.raises(InvalidValue, match="NoiseSchedule: time must be from 0 to 1, got -1 to 2"):
        NoiseSchedule().alpha_bar(torch.tensor([-1.0, 2.0]))
