"""At which times a sampler looks: evenly in time, or evenly in what is known of the data."""

import torch
from torch import Tensor

from gradatim.errors import choose, require_whole
from gradatim.generative.noise_schedule import NoiseSchedule

LEAST_SIGNAL = (
    4e-5  # share of the variance below which noise is all; the linear schedule ends there
)
SPACINGS = ("time", "snr")


def time_grid(schedule: NoiseSchedule, steps: int, *, spacing: str = "time") -> Tensor:
    r"""Times from noise to data for so many evaluations.

    The first is the latest at which signal is left, so that a guess of the data means something there; the last is 0.

    Args:
        schedule: :math:`\bar\alpha`.
        steps: Evaluations.
        spacing: Even in ``"time"``, or, but for the last step, in :math:`\lambda = \frac12\log\frac{\bar\alpha}{1-\bar\alpha}`, ``"snr"``.

    Returns:
        Falling times in double precision, shape ``(steps + 1,)``.

    Example:
        >>> time_grid(NoiseSchedule("linear"), 4)
        tensor([1.0000, 0.7500, 0.5000, 0.2500, 0.0000], dtype=torch.float64)
    """
    require_whole("sample", steps=steps)
    choose("time_grid", "spacing", spacing, SPACINGS)
    times = torch.linspace(0, 1, schedule.num_steps + 1, dtype=torch.float64)[1:]
    logs = schedule.log_alpha_bar(times)  # falling
    has_signal = logs.exp() >= LEAST_SIGNAL
    first = max(int(has_signal.sum()), 1)
    start, end = times[first - 1], times[0]
    if spacing == "time" or steps == 1 or first == 1:
        return torch.linspace(float(start), 0, steps + 1, dtype=torch.float64)
    half_snr = (logs - torch.log(-torch.expm1(logs))) / 2
    wanted = torch.linspace(float(half_snr[first - 1]), float(half_snr[0]), steps, dtype=torch.float64)  # fmt: skip
    inner = _interpolate(torch.nn.functional.logsigmoid(2 * wanted), -logs, times)
    inner[0], inner[-1] = start, end
    return torch.cat([inner, inner.new_zeros(1)])


def _interpolate(log_alpha_bar: Tensor, rising: Tensor, times: Tensor) -> Tensor:
    """Times at which the schedule has the wanted logarithms."""
    wanted = -log_alpha_bar
    after = torch.searchsorted(rising, wanted).clamp(1, len(rising) - 1)
    low, high = rising[after - 1], rising[after]
    share = ((wanted - low) / (high - low)).clamp(0, 1)
    return torch.lerp(times[after - 1], times[after], share)
