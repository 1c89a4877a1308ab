"""One step from much noise to less, in three ways: by chance, along a flow, and along it with a look back."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.generative.diffuse import diffuse
from gradatim.generative.reverse_posterior import posterior_mean, posterior_variance


class Place(NamedTuple):
    r"""A level of noise.

    Attributes:
        log_alpha_bar: :math:`\log\bar\alpha`, at most 0.
    """

    log_alpha_bar: float

    @property
    def alpha_bar(self) -> float:
        r""":math:`\bar\alpha`."""
        return math.exp(self.log_alpha_bar)

    @property
    def spread(self) -> float:
        r""":math:`\sigma = \sqrt{1-\bar\alpha}`."""
        return math.sqrt(-math.expm1(self.log_alpha_bar))

    @property
    def half_log_snr(self) -> float:
        r""":math:`\lambda = \log(\sqrt{\bar\alpha}/\sigma)`; infinite without noise."""
        return self.log_alpha_bar / 2 - math.log(self.spread) if self.spread else math.inf


@takes_arrays
def ancestral_step(x: Tensor, x0: Tensor, noise: Tensor, here: Place, there: Place) -> Tensor:
    r"""Draw from :math:`q(x_s \mid x_t, \hat x_0)`.

    .. math:: x_s = \tilde\mu(\hat x_0, x_t) + \sqrt{\tilde\beta}\,\epsilon

    Args:
        x: :math:`x_t`.
        x0: :math:`\hat x_0`, what the network takes the data for.
        noise: Fresh :math:`\epsilon \sim N(0, I)`.
        here: Level of :math:`t`.
        there: Level of :math:`s`, with less noise.

    Example:
        >>> here, there = Place(-2.0), Place(0.0)
        >>> ancestral_step(torch.ones(1), torch.zeros(1), torch.ones(1), here, there)
        tensor([0.])

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, algorithm 2.
    """
    levels = torch.tensor([here.alpha_bar, there.alpha_bar], dtype=torch.float64)
    mean = posterior_mean(x0, x, *levels.to(x))
    return mean + float(posterior_variance(*levels)) ** 0.5 * noise


@takes_arrays
def ddim_step(x0: Tensor, noise: Tensor, there: Place) -> Tensor:
    r"""Put the guessed data and the guessed noise together again, with less noise.

    .. math:: x_s = \sqrt{\bar\alpha_s}\,\hat x_0 + \sqrt{1-\bar\alpha_s}\,\hat\epsilon

    Nothing is drawn: equal beginnings end alike.

    Args:
        x0: :math:`\hat x_0`.
        noise: :math:`\hat\epsilon`, as the network guesses it.
        there: Level of :math:`s`.

    Example:
        >>> ddim_step(torch.ones(1), torch.ones(1), Place(0.0))
        tensor([1.])

    Reference:
        Song, Meng, Ermon, Denoising Diffusion Implicit Models, 2021, eq. 12 with :math:`\sigma_t = 0`.
    """
    return diffuse(x0, noise, torch.tensor(there.alpha_bar, dtype=x0.dtype, device=x0.device))


class LookBack(NamedTuple):
    r"""What the second-order step remembers.

    Attributes:
        x0: The guess of the data one step before.
        half_log_snr: :math:`\lambda` there.
    """

    x0: Tensor
    half_log_snr: float


@takes_arrays
def multistep_step(
    x: Tensor, x0: Tensor, here: Place, there: Place, back: LookBack | None = None
) -> Tensor:
    r"""Follow the flow with a guess of the data that is continued in a straight line from the step before.

    .. math:: x_s = \frac{\sigma_s}{\sigma_t}\,x_t + \sqrt{\bar\alpha_s}\,(1 - e^{-h})\,D, \qquad
        D = \hat x_0(t) + \frac{h}{2h'}\bigl(\hat x_0(t) - \hat x_0(r)\bigr)

    :math:`h = \lambda_s - \lambda_t` and :math:`h' = \lambda_t - \lambda_r`, :math:`r` the step before. Without one, :math:`D = \hat x_0(t)`, which is
    :func:`ddim_step`. The error of a path falls with the square of the step, at one evaluation each.

    Args:
        x: :math:`x_t`.
        x0: :math:`\hat x_0(t)`.
        here: Level of :math:`t`.
        there: Level of :math:`s`; where it is without noise, the guess :math:`\hat x_0(t)` itself is the answer.
        back: The step before.

    Example:
        >>> multistep_step(torch.zeros(1), torch.ones(1), Place(-2.0), Place(0.0))
        tensor([1.])

    Reference:
        Lu et al., DPM-Solver++: Fast Solver for Guided Sampling of Diffusion Probabilistic Models, 2022, algorithm 2.
    """
    if not there.spread:
        return x0
    h = there.half_log_snr - here.half_log_snr
    if back is not None:
        before = here.half_log_snr - back.half_log_snr
        x0 = torch.lerp(back.x0, x0, 1 + h / (2 * before))
    signal = math.sqrt(there.alpha_bar)
    return there.spread / here.spread * x - signal * math.expm1(-h) * x0
