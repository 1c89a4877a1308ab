"""The bound on the log-likelihood of a diffusion model, in nats and in bits per number."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose, require, require_whole
from gradatim.generative.diffuse import diffuse
from gradatim.generative.diffusion import Diffusion
from gradatim.generative.noise_schedule import NoiseSchedule
from gradatim.nn.training_modes import evaluation_mode

VARIANCES = ("forward", "posterior")


@takes_arrays
def step_weight(schedule: NoiseSchedule, step: Tensor, *, variance: str = "forward") -> Tensor:
    r"""What the squared error about the noise of a step costs, in nats.

    .. math:: \lambda_t = \frac{\beta_t^2}{2\sigma_t^2\alpha_t(1-\bar\alpha_t)}, \qquad \sigma_t^2 = \beta_t \ \text{or}\ \tilde\beta_t

    With :math:`\tilde\beta_t` it is :math:`\frac12(\mathrm{SNR}_{t-1}/\mathrm{SNR}_t - 1)`. The first step has :math:`\tilde\beta_1 = 0`;
    its variance is :math:`\beta_1` in either case.

    Args:
        schedule: :math:`\beta_t`.
        step: :math:`t` from 1, whole numbers of any shape.
        variance: :math:`\sigma_t^2` of the step back: ``"forward"`` for :math:`\beta_t`, ``"posterior"`` for :math:`\tilde\beta_t`.

    Example:
        >>> step_weight(NoiseSchedule("linear", 1000), torch.tensor([1, 2, 1000]))
        tensor([0.5001, 0.2727, 0.0102], dtype=torch.float64)

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, eq. 12.
    """
    betas, noise = _levels(schedule, step)
    spread = _step_variance(schedule, step, variance)
    return betas.square() / (2 * spread * (1 - betas) * noise)


def _levels(schedule: NoiseSchedule, step: Tensor) -> tuple[Tensor, Tensor]:
    r""":math:`\beta_t` and :math:`1 - \bar\alpha_t`."""
    betas = schedule.betas.to(step.device)
    noise = -torch.expm1(torch.log1p(-betas).cumsum(0))
    return betas[step.long() - 1], noise[step.long() - 1]


def _step_variance(schedule: NoiseSchedule, step: Tensor, variance: str) -> Tensor:
    choose("diffusion_bound", "variance", variance, VARIANCES)
    betas, noise = _levels(schedule, step)
    if variance == "forward":
        return betas
    before = _levels(schedule, (step - 1).clamp(min=1))[1]
    return torch.where(step > 1, betas * before / noise, betas)


class Bound(NamedTuple):
    """Parts of the bound, in nats, one entry per row.

    Attributes:
        prior: What the last step still knows of the data.
        steps: What the steps back get wrong.
        reconstruction: What the first level leaves open.
    """

    prior: Tensor
    steps: Tensor
    reconstruction: Tensor

    @property
    def total(self) -> Tensor:
        r"""An upper bound of :math:`-\log p(x_0)`."""
        return self.prior + self.steps + self.reconstruction

    def bits_per_dimension(self, dim: int) -> Tensor:
        """The bound in bits for each of the ``dim`` numbers of a datum."""
        return self.total / (dim * math.log(2))


@takes_arrays
@torch.no_grad()
def diffusion_bound(
    model: Diffusion,
    x: Tensor,
    label: Tensor | None = None,
    *,
    levels: int | None = None,
    variance: str = "forward",
    draws: int | None = None,
    generator: torch.Generator | None = None,
) -> Bound:
    r"""How many nats a diffusion model needs at most to tell each row.

    .. math:: -\log p(x_0) \le D(q(x_T \mid x_0)\,\Vert\,N(0, I))
        + \sum_{t=2}^T \mathbb E\,D(q(x_{t-1} \mid x_t, x_0)\,\Vert\,p(x_{t-1} \mid x_t)) - \mathbb E \log p(x_0 \mid x_1)

    Each divergence is :math:`\lambda_t\lVert\epsilon - \hat\epsilon\rVert^2 + \frac d2(r - 1 - \log r)` with :math:`r = \tilde\beta_t/\sigma_t^2`. They compare
    :math:`q(x_{t-1} \mid x_t, x_0)` with :math:`p(x_{t-1} \mid x_t)`; notes 002 print the indices shifted by one.

    Args:
        model: A trained model.
        x: Data, shape ``(B, ...)``.
        label: Classes, shape ``(B,)``.
        levels: Of data that can only be one of so many values, evenly from -1 to 1, such as 256 for images; else
            the data are real numbers, and the bound is one of a density.
        variance: :math:`\sigma_t^2` of the model's step back, between :math:`\tilde\beta_t` (``"posterior"``, right for data that are
            one point) and :math:`\beta_t` (``"forward"``, right where the density is smooth at the scale of the noise).
        draws: Levels of noise to look at for each row, evenly spread; all by default, one draw of noise each.
        generator: Source of the noise.

    Example:
        >>> from gradatim.models import TimeMLP
        >>> bound = diffusion_bound(Diffusion(TimeMLP(2), num_steps=20), torch.zeros(5, 2))
        >>> bound.bits_per_dimension(2).shape
        torch.Size([5])

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020, eq. 5 and 13.
    """
    rule = "diffusion_bound: levels must be at least 2 or None"
    require(levels is None or levels >= 2, rule, levels, "Try 256.")
    choose("diffusion_bound", "variance", variance, VARIANCES)
    if draws is not None:
        require_whole("diffusion_bound", draws=draws)
    with evaluation_mode(model):
        steps = x.new_zeros(len(x), dtype=torch.float64)
        for step, share in _steps(len(x), model.num_steps, draws, generator):
            steps += share * _divergence(model, x, step.to(x.device), label, variance, generator)
        reconstruction = -_first_step(model, x, label, levels, generator)
    return Bound(_prior(model.noise_schedule, x), steps, reconstruction)


def _steps(
    rows: int, num_steps: int, draws: int | None, generator: torch.Generator | None
) -> Iterator[tuple[Tensor, float]]:
    """Steps from 2 on for each row, all or evenly spread draws, and how many steps each stands for."""
    count = num_steps - 1
    if draws is None or draws >= count:
        for step in range(2, num_steps + 1):
            yield torch.full((rows,), step), 1.0
        return
    for k in range(draws):
        place = (k + torch.rand(rows, generator=generator)) / draws
        yield (place * count).long().clamp(max=count - 1) + 2, count / draws


def _divergence(
    model: Diffusion, x: Tensor, step: Tensor, label: Tensor | None, variance: str, generator: torch.Generator | None
) -> Tensor:  # fmt: skip
    """Of the step back that knows the data from the model's, one draw of noise for each row."""
    schedule = model.noise_schedule
    x_t, noise, time = _noised(model, x, step, generator)
    error = (noise - model.denoise(x_t, time, label).noise).double().square().flatten(1).sum(1)
    low, own = (_step_variance(schedule, step, name) for name in ("posterior", variance))
    ratio, dim = low / own, math.prod(model.sample_shape)
    missed = 0.5 * dim * (ratio - 1 - ratio.log())
    return error * step_weight(schedule, step, variance=variance) + missed


def _noised(model: Diffusion, x: Tensor, step: Tensor, generator: torch.Generator | None) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    time = (step / model.num_steps).to(x.dtype)
    noise = torch.randn(x.shape, generator=generator, dtype=x.dtype).to(x.device)
    return diffuse(x, noise, model.noise_schedule.alpha_bar(time)), noise, time


def _prior(schedule: NoiseSchedule, x: Tensor) -> Tensor:
    """Divergence of the last step from the standard Gaussian."""
    share = schedule.alpha_bar(torch.ones((), dtype=torch.float64)).to(x.device)
    energy, dim = x.double().square().flatten(1).sum(1), math.prod(x.shape[1:])
    return 0.5 * (share * energy - dim * (share + torch.log1p(-share)))


def _first_step(
    model: Diffusion, x: Tensor, label: Tensor | None, levels: int | None, generator: torch.Generator | None
) -> Tensor:  # fmt: skip
    r"""A Gaussian of variance :math:`\beta_1` around the guess of the data: its density, or the probability of the value's bin."""
    x_1, _, time = _noised(model, x, torch.ones(len(x), device=x.device), generator)
    mean = model.denoise(x_1, time, label).x0.double()
    spread = float(model.noise_schedule.betas[0]) ** 0.5
    gap = (x.double() - mean) / spread
    if levels is None:
        density = -0.5 * gap.square() - math.log(spread * math.sqrt(2 * math.pi))
        return density.flatten(1).sum(1)
    half = 1 / (levels - 1) / spread
    # the bins at both ends reach to infinity; the smaller tail keeps the digits
    lower = torch.where(x <= -1 + 1e-6, -torch.inf, gap - half)
    upper = torch.where(x >= 1 - 1e-6, torch.inf, gap + half)
    flip = lower > 0
    low, high = torch.where(flip, -upper, lower), torch.where(flip, -lower, upper)
    mass = torch.special.ndtr(high) - torch.special.ndtr(low)
    return mass.clamp(min=1e-300).log().flatten(1).sum(1)
