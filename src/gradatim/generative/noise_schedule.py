"""How fast data turn into noise: the steps of a diffusion, and the same in continuous time."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require, require_whole

MOST = 0.999  # of the variance that one step may bring


def linear_betas(num_steps: int) -> Tensor:
    r"""Variances that rise evenly, in a thousand steps from 0.0001 to 0.02; in fewer, each brings as much more.

    .. math:: \beta_t = \frac{1000}{T}\Bigl(10^{-4} + \frac{t-1}{T-1}\,(0.02 - 10^{-4})\Bigr)

    Args:
        num_steps: :math:`T`.

    Example:
        >>> linear_betas(1000)[[0, -1]]
        tensor([0.0001, 0.0200], dtype=torch.float64)

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, section 4.
    """
    require_whole("linear_betas", num_steps=num_steps)
    scale = 1000.0 / num_steps
    betas = torch.linspace(1e-4 * scale, 0.02 * scale, num_steps, dtype=torch.float64)
    return betas.clamp(max=MOST)


def cosine_betas(num_steps: int) -> Tensor:
    r"""Variances under which the share of the signal falls as a squared cosine, slowly at both ends.

    .. math:: \bar\alpha_t = \frac{f(t)}{f(0)}, \qquad f(t) = \cos^2\Bigl(\frac{t/T + s}{1 + s}\cdot\frac\pi2\Bigr), \qquad
        \beta_t = \min\Bigl(1 - \frac{\bar\alpha_t}{\bar\alpha_{t-1}}, 0.999\Bigr), \qquad s = 0.008

    Args:
        num_steps: :math:`T`.

    Example:
        >>> (1 - cosine_betas(1000)).cumprod(0)[499].round(decimals=2)
        tensor(0.4900, dtype=torch.float64)

    Reference:
        Nichol and Dhariwal, Improved Denoising Diffusion Probabilistic Models, 2021, section 3.2.
    """
    require_whole("cosine_betas", num_steps=num_steps)
    t = torch.arange(num_steps + 1, dtype=torch.float64) / num_steps
    f = torch.cos((t + 0.008) / 1.008 * math.pi / 2).square()
    return (1 - f[1:] / f[:-1]).clamp(max=MOST)


SCHEDULES: dict[str, Callable[[int], Tensor]] = {"linear": linear_betas, "cosine": cosine_betas}


class NoiseSchedule:
    r"""The share of the signal at any time from 0, where it is all, to 1, where hardly any is left.

    .. math:: \bar\alpha_t = \prod_{s=1}^t (1 - \beta_s), \qquad \beta(\tau) = -\frac{d}{d\tau}\log\bar\alpha(\tau)

    Step :math:`t` of :math:`T` is the time :math:`\tau = t/T`; between steps :math:`\log\bar\alpha` is a straight line, so that
    the chain of the steps is the equation :math:`dx = -\frac12\beta(\tau)\,x\,d\tau + \sqrt{\beta(\tau)}\,dW` seen at those times.

    Args:
        name: ``"linear"`` or ``"cosine"``.
        num_steps: :math:`T`.

    Attributes:
        betas: :math:`\beta_1, \dots, \beta_T`, in double precision.

    Example:
        >>> schedule = NoiseSchedule("linear", 1000)
        >>> schedule.alpha_bar(torch.tensor([0.0, 0.5, 1.0]))
        tensor([1.0000e+00, 7.8587e-02, 4.0358e-05])
    """

    def __init__(self, name: str = "linear", num_steps: int = 1000) -> None:
        self.name = choose("NoiseSchedule", "name", name, SCHEDULES)
        require_whole("NoiseSchedule", num_steps=num_steps)
        self.num_steps = num_steps
        self.betas = SCHEDULES[name](num_steps)
        logs = torch.log1p(-self.betas).cumsum(0)
        self._log_alpha_bar = torch.cat([logs.new_zeros(1), logs])  # (T + 1,)

    @takes_arrays
    def log_alpha_bar(self, time: Tensor) -> Tensor:
        r""":math:`\log\bar\alpha(\tau)` at times from 0 to 1, of any shape."""
        place = time.double() * self.num_steps
        before = self._before(place)
        table = self._log_alpha_bar.to(time.device)
        value = torch.lerp(table[before], table[before + 1], place - before)
        return value.to(time.dtype if time.is_floating_point() else torch.get_default_dtype())

    @takes_arrays
    def alpha_bar(self, time: Tensor) -> Tensor:
        r""":math:`\bar\alpha(\tau)`, the share of the variance that is signal."""
        return self.log_alpha_bar(time).exp()

    @takes_arrays
    def beta(self, time: Tensor) -> Tensor:
        r""":math:`\beta(\tau)`, the speed at which noise comes in."""
        before = self._before(time.double() * self.num_steps)
        rates = -self.num_steps * self._log_alpha_bar.diff().to(time.device)
        return rates[before].to(
            time.dtype if time.is_floating_point() else torch.get_default_dtype()
        )

    def _before(self, place: Tensor) -> Tensor:
        rule = "NoiseSchedule: time must be from 0 to 1"
        if place.numel():
            low, high = (float(value) / self.num_steps for value in place.detach().aminmax())
            require(low >= 0 and high <= 1 + 1e-9, rule, f"{low:g} to {high:g}")
        return place.detach().long().clamp(max=self.num_steps - 1)
