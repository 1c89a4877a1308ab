import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.generative import NoiseSchedule, time_grid


@pytest.mark.parametrize("name", ["linear", "cosine"])
@pytest.mark.parametrize("spacing", ["time", "snr"])
@pytest.mark.parametrize("steps", [1, 2, 20, 1000])
def test_times_fall_from_noise_to_data(name, spacing, steps):
    schedule = NoiseSchedule(name, 1000)
    times = time_grid(schedule, steps, spacing=spacing)
    assert len(times) == steps + 1
    assert times[-1] == 0
    assert (times.diff() < 0).all()
    assert schedule.alpha_bar(times[0]) >= 4e-5
    assert times[0] > 0.99


@pytest.mark.parametrize("name", ["linear", "cosine"])
def test_even_in_what_is_known(name):
    schedule = NoiseSchedule(name, 1000)
    logs = schedule.log_alpha_bar(time_grid(schedule, 30, spacing="snr")[:-1])
    half = (logs - torch.log(-torch.expm1(logs))) / 2
    torch.testing.assert_close(half.diff(), half.diff()[:1].expand(29), rtol=2e-2, atol=0)


def test_a_schedule_of_one_step_has_one_time():
    assert time_grid(NoiseSchedule("linear", 1), 1).tolist() == [1.0, 0.0]


def test_what_is_wrong_is_said():
    with pytest.raises(InvalidValue, match="sample: steps must be a whole number from 1, got 0"):
        time_grid(NoiseSchedule(), 0)
    with pytest.raises(InvalidValue, match="time_grid: spacing must be one of"):
        time_grid(NoiseSchedule(), 5, spacing="even")
