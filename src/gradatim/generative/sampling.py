"""From noise to data: draw from a diffusion model."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidType, choose, require, require_whole
from gradatim.generative.diffusion import Diffusion
from gradatim.generative.evaluating import evaluating
from gradatim.generative.guidance import check_guidance
from gradatim.generative.predictions import Denoised
from gradatim.generative.sampler_steps import (
    LookBack,
    Place,
    ancestral_step,
    ddim_step,
    multistep_step,
)
from gradatim.generative.time_grids import time_grid

# How many evaluations each takes, unless told; how its times are spread.
STEPS = {"ancestral": 250, "ddim": 50, "dpm": 20}
SPACING = {"ancestral": "time", "ddim": "time", "dpm": "snr"}
ROWS = 256  # that the network sees at once


class SamplingStep(NamedTuple):
    r"""Where samples stand on their way.

    Attributes:
        time: From 1 to 0.
        x: :math:`x_t`, shape ``(N, ...)``.
        x0: What the network takes the data for, :math:`\hat x_0`; at the end the samples themselves.
    """

    time: float
    x: Tensor
    x0: Tensor


@takes_arrays
def sample(
    model: Diffusion,
    num_samples: int,
    *,
    sampler: str = "dpm",
    steps: int | None = None,
    guidance: float = 0.0,
    label: Tensor | int | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Draw new data from a diffusion model.

    Args:
        model: A trained model.
        num_samples: How many rows.
        sampler: ``"ancestral"``, which draws noise at each step; ``"ddim"``, the flow in first order; or ``"dpm"``, in second
            order, which needs the fewest steps.
        steps: Evaluations of the network; by default 250, 50 and 20.
        guidance: :math:`w \ge 0`: how far to go beyond what the class asks for, :math:`(1+w) f(x, k) - w f(x, \varnothing)`. Samples
            agree better with their class, and differ less from each other. Each step then costs two evaluations.
        label: A class for all, or one for each; without one, a model with classes draws from all of them together.
        generator: Source of randomness.

    Returns:
        Samples, shape ``(num_samples, *model.sample_shape)``.

    Example:
        >>> from gradatim.models import TimeMLP
        >>> model = Diffusion(TimeMLP(2, num_classes=3))
        >>> sample(model, 5, steps=4, label=1, guidance=2.0, generator=torch.Generator().manual_seed(0)).shape
        torch.Size([5, 2])

    Reference:
        Ho et al., 2020 (ancestral); Song et al., Denoising Diffusion Implicit Models, 2021 (ddim); Lu et al., DPM-Solver++,
        2022 (dpm); Ho and Salimans, Classifier-Free Diffusion Guidance, 2022.
    """
    path = sampling_path(
        model, num_samples, sampler=sampler, steps=steps, guidance=guidance, label=label, generator=generator
    )  # fmt: skip
    for step in path:
        last = step
    return last.x


@takes_arrays
def sampling_path(
    model: Diffusion,
    num_samples: int,
    *,
    sampler: str = "dpm",
    steps: int | None = None,
    guidance: float = 0.0,
    label: Tensor | int | None = None,
    generator: torch.Generator | None = None,
) -> Iterator[SamplingStep]:
    """The steps of :func:`sample`, one after the other; the last holds the samples.

    Args:
        model: A trained model.
        num_samples: How many rows.
        sampler: ``"ancestral"``, ``"ddim"`` or ``"dpm"``.
        steps: Evaluations of the network.
        guidance: How far to go beyond what the class asks for.
        label: A class for all, or one for each.
        generator: Source of randomness.

    Example:
        >>> from gradatim.models import TimeMLP
        >>> [round(step.time, 2) for step in sampling_path(Diffusion(TimeMLP(2)), 5, sampler="ddim", steps=2)]
        [1.0, 0.5, 0.0]
    """
    if not isinstance(model, Diffusion):
        raise InvalidType(f"sample: model must be a Diffusion, got {type(model).__name__}.")
    require_whole("sample", num_samples=num_samples)
    choose("sample", "sampler", sampler, STEPS)
    check_guidance("sample", model.num_classes, guidance, label)
    weight = next(model.parameters())
    labels = labels_for("sample", label, num_samples, model.num_classes, weight.device)
    times = time_grid(model.noise_schedule, STEPS[sampler] if steps is None else steps, spacing=SPACING[sampler])  # fmt: skip
    noise = _Source((num_samples, *model.sample_shape), weight, generator)
    return _walk(model, sampler, times, labels, guidance, noise)


class _Source:
    """Draws of standard Gaussian noise of one shape, of the kind of a model's weights."""

    def __init__(
        self, shape: tuple[int, ...], like: Tensor, generator: torch.Generator | None
    ) -> None:
        self.shape, self.like, self.generator = shape, like, generator

    def __call__(self) -> Tensor:
        noise = torch.randn(self.shape, generator=self.generator, dtype=self.like.dtype)
        return noise.to(self.like.device)


def _walk(
    model: Diffusion, sampler: str, times: Tensor, labels: Tensor | None, guidance: float, noise: _Source
) -> Iterator[SamplingStep]:  # fmt: skip
    places = [Place(float(value)) for value in model.noise_schedule.log_alpha_bar(times)]
    x, back = noise(), None
    for k, (here, there) in enumerate(pairwise(places)):
        with evaluating(model):
            found = _denoise(model, x, float(times[k]), labels, guidance)
        yield SamplingStep(float(times[k]), x, found.x0)
        if sampler == "ancestral":
            x = ancestral_step(x, found.x0, noise() if there.spread else torch.zeros_like(x), here, there)  # fmt: skip
        elif sampler == "ddim":
            x = ddim_step(found.x0, found.noise, there)
        else:
            x = multistep_step(x, found.x0, here, there, back)
            back = LookBack(found.x0, here.half_log_snr)
    x = x.clone()  # an ordinary tensor, no longer one of inference
    yield SamplingStep(0.0, x, x)


def _denoise(
    model: Diffusion, x: Tensor, time: float, labels: Tensor | None, guidance: float
) -> Denoised:
    """The network's guess, a few hundred rows at once."""
    parts = []
    for start in range(0, len(x), ROWS):
        rows = x[start : start + ROWS]
        label = None if labels is None else labels[start : start + ROWS]
        now = torch.full((len(rows),), time, dtype=x.dtype, device=x.device)
        parts.append(model.denoise(rows, now, label, guidance=guidance))
    return Denoised(torch.cat([p.x0 for p in parts]), torch.cat([p.noise for p in parts]))


def labels_for(
    owner: str, label: Tensor | int | None, num_samples: int, num_classes: int | None, device: torch.device
) -> Tensor | None:  # fmt: skip
    """A class for each sample, checked; none is the class after the last.

    >>> labels_for("sample", 2, 3, 10, torch.device("cpu"))
    tensor([2, 2, 2])
    """
    if num_classes is None:
        return None
    if label is None:
        return torch.full((num_samples,), num_classes, device=device)
    labels = torch.as_tensor(label, device=device)
    is_whole = not labels.is_floating_point() and labels.dtype != torch.bool
    fits = is_whole and labels.shape in ((), (num_samples,))
    require(fits, f"{owner}: label must be one class, or one for each of {num_samples} samples", f"{labels.dtype} of shape {tuple(labels.shape)}")  # fmt: skip
    rule = f"{owner}: label must be classes from 0 to {num_classes - 1}"
    low, high = (int(value) for value in labels.aminmax())
    require(low >= 0 and high < num_classes, rule, low if low < 0 else high)
    return labels.long().expand(num_samples).contiguous()
