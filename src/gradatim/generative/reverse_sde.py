"""The diffusion backwards, as a stochastic differential equation that a score drives."""

from collections.abc import Callable
from itertools import pairwise

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.generative.noise_schedule import NoiseSchedule

Score = Callable[[Tensor, Tensor], Tensor]  # of rows (B, ...) at times (B,)
END = 1e-3  # where a path stops by default: a step of a thousand before the data


@takes_arrays
@torch.no_grad()
def reverse_sde(
    score: Score,
    schedule: NoiseSchedule,
    x: Tensor,
    *,
    steps: int = 500,
    end: float = END,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Carry noise to data, with fresh noise at every step.

    .. math:: dx = \Bigl(-\tfrac12\beta(\tau)\,x - \beta(\tau)\,\nabla\log q_\tau(x)\Bigr)d\tau + \sqrt{\beta(\tau)}\,d\bar W, \qquad \tau: 1 \to 0

    by Euler and Maruyama. With the exact score the rows are distributed as :math:`q_\tau` at any time.

    Args:
        score: :math:`\nabla\log q_\tau`, such as :meth:`Diffusion.score`.
        schedule: :math:`\beta(\tau)`.
        x: Draws from the standard Gaussian, shape ``(B, ...)``.
        steps: Steps, even in time.
        end: Time at which to stop.
        generator: Source of the noise.

    Example:
        >>> def of_standard_gaussian(x, time):
        ...     return -x
        >>> reverse_sde(of_standard_gaussian, NoiseSchedule(), torch.randn(5, 2), steps=10).shape
        torch.Size([5, 2])

    Reference:
        Anderson, Reverse-Time Diffusion Equation Models, 1982; Song et al., Score-Based Generative Modeling through
        Stochastic Differential Equations, 2021.
    """
    require_whole("reverse_sde", steps=steps)
    times = torch.linspace(1, end, steps + 1, dtype=torch.float64)
    for here, there in pairwise(times):
        beta = float(schedule.beta((here + there) / 2))
        h = float(here - there)
        now = torch.full((len(x),), float(here), dtype=x.dtype, device=x.device)
        noise = torch.randn(x.shape, generator=generator, dtype=x.dtype).to(x.device)
        x = x + h * beta * (0.5 * x + score(x, now)) + (h * beta) ** 0.5 * noise
    return x
