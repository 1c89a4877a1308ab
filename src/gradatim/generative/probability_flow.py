"""The flow that moves probability as the diffusion does, without chance, and the likelihood along it."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.generative.noise_schedule import NoiseSchedule
from gradatim.generative.reverse_sde import END, Score

Slope = Callable[[Tensor, float], Tensor]


def _drift(score: Score, schedule: NoiseSchedule, x: Tensor, time: float) -> Tensor:
    now = torch.full((len(x),), time, dtype=x.dtype, device=x.device)
    beta = float(schedule.beta(torch.tensor(time, dtype=torch.float64)))
    return -0.5 * beta * (x + score(x, now))


def _follow(slope: Slope, x: Tensor, start: float, end: float, steps: int) -> Tensor:
    """The method of Runge and Kutta, of fourth order."""
    h = (end - start) / steps
    for k in range(steps):
        time = start + k * h
        middle, last = time + h / 2, min(max(time + h, 0.0), 1.0)
        first = slope(x, time)
        second = slope(x + h / 2 * first, middle)
        third = slope(x + h / 2 * second, middle)
        fourth = slope(x + h * third, last)
        x = x + h / 6 * (first + 2 * second + 2 * third + fourth)
    return x


@takes_arrays
@torch.no_grad()
def probability_flow(
    score: Score,
    schedule: NoiseSchedule,
    x: Tensor,
    *,
    steps: int = 50,
    start: float = 1.0,
    end: float = END,
) -> Tensor:
    r"""Carry rows along the flow, from noise to data or back.

    .. math:: \frac{dx}{d\tau} = -\tfrac12\beta(\tau)\bigl(x + \nabla\log q_\tau(x)\bigr)

    Rows that are distributed as :math:`q_\tau` at one time are so at any other. Equal beginnings end alike.

    Args:
        score: :math:`\nabla\log q_\tau`, such as :meth:`Diffusion.score`.
        schedule: :math:`\beta(\tau)`.
        x: Rows at ``start``, shape ``(B, ...)``.
        steps: Steps of four evaluations each.
        start: Time at which the rows are.
        end: Time to which they go.

    Example:
        >>> def of_standard_gaussian(x, time):
        ...     return -x
        >>> x = torch.randn(5, 2)
        >>> torch.equal(probability_flow(of_standard_gaussian, NoiseSchedule(), x, steps=3), x)
        True

    Reference:
        Song et al., Score-Based Generative Modeling through Stochastic Differential Equations, 2021, eq. 13.
    """
    require_whole("probability_flow", steps=steps)
    for name, time in (("start", start), ("end", end)):
        require(0 <= time <= 1, f"probability_flow: {name} must be from 0 to 1", time)
    return _follow(lambda x, time: _drift(score, schedule, x, time), x, start, end, steps)


@takes_arrays
@torch.no_grad()
def flow_log_likelihood(
    score: Score,
    schedule: NoiseSchedule,
    x: Tensor,
    *,
    steps: int = 50,
    start: float = END,
    num_probes: int | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Log-likelihood of data under the flow that a score drives.

    .. math:: \log q_0(x_0) = \log N(x_1; 0, I) + \int_0^1 \nabla\cdot f(x_\tau, \tau)\,d\tau, \qquad
        f = -\tfrac12\beta(\tau)\bigl(x + \nabla\log q_\tau(x)\bigr)

    The divergence is exact, with one backward pass for each of the :math:`d` numbers of a row, or Hutchinson's estimate
    :math:`v^\top \frac{\partial f}{\partial x} v` with random signs :math:`v`, kept along the path: one pass for each probe, right on average.

    Args:
        score: :math:`\nabla\log q_\tau`, each row by itself, such as :meth:`Diffusion.score`.
        schedule: :math:`\beta(\tau)`.
        x: Data, shape ``(B, ...)``.
        steps: Steps of four evaluations each.
        start: Time at which the data are taken to be; the score of a network is not known at 0.
        num_probes: Random directions for each row; ``None`` for the exact divergence.
        generator: Source of the directions.

    Returns:
        Nats, shape ``(B,)``.

    Example:
        >>> def of_standard_gaussian(x, time):
        ...     return -x
        >>> flow_log_likelihood(of_standard_gaussian, NoiseSchedule(), torch.zeros(1, 2), steps=2)
        tensor([-1.8379])

    Reference:
        Chen et al., Neural Ordinary Differential Equations, 2018; Grathwohl et al., FFJORD, 2019; Song et al., 2021.
    """
    require_whole("flow_log_likelihood", steps=steps)
    require(0 <= start < 1, "flow_log_likelihood: start must be in [0, 1)", start)
    rows, dim = x.flatten(1), math.prod(x.shape[1:])
    probes = _directions(rows, num_probes, generator)

    def slope(state: Tensor, time: float) -> Tensor:
        with torch.enable_grad():
            at = state[:, :-1].detach().requires_grad_()
            drift = _drift(score, schedule, at.reshape(x.shape), time).flatten(1)
            divergence = state.new_zeros(len(state))
            for probe in probes if drift.requires_grad else ():
                slope = torch.autograd.grad(drift, at, probe, retain_graph=True)[0]
                divergence = divergence + (slope * probe).sum(1)
        if num_probes is not None:
            divergence = divergence / num_probes
        return torch.cat([drift.detach(), divergence.detach()[:, None]], 1)

    state = torch.cat([rows, rows.new_zeros(len(rows), 1)], 1)
    last = _follow(slope, state, start, 1.0, steps)
    noise, gained = last[:, :-1], last[:, -1]
    return gained - 0.5 * (noise.square().sum(1) + dim * math.log(2 * math.pi))


def _directions(
    rows: Tensor, num_probes: int | None, generator: torch.Generator | None
) -> list[Tensor]:
    """Unit vectors, which give the divergence itself, or random signs."""
    if num_probes is None:
        return [unit.expand_as(rows) for unit in torch.eye(rows.shape[1]).to(rows)]
    require_whole("flow_log_likelihood", num_probes=num_probes)
    shape = (num_probes, *rows.shape)
    return list((2.0 * torch.randint(2, shape, generator=generator) - 1).to(rows))
