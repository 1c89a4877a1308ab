"""The step that is accepted as often as it should be: a first guess, then dual averaging."""

import math
from typing import NamedTuple

import torch

from gradatim.bayes import mala
from gradatim.bayes.density import LogDensity, State

SHRINKAGE, DELAY, FORGETTING = 0.05, 10, 0.75  # γ, t₀ and κ of Hoffman and Gelman


class DualAveraging(NamedTuple):
    r"""What is known of the step.

    Args:
        center: :math:`\mu`, towards which it shrinks: the logarithm of ten times the first guess.
        log_step: :math:`\log\epsilon_t`.
        log_average: :math:`\log\bar\epsilon_t`, which stays when all is done.
        error: :math:`\bar H_t`, by how much too few were accepted, in the mean.
        steps: :math:`t`.
    """

    center: float
    log_step: float
    log_average: float
    error: float = 0.0
    steps: int = 0


def start_averaging(step_size: float) -> DualAveraging:
    """Begin at a first guess."""
    return DualAveraging(math.log(10 * step_size), math.log(step_size), math.log(step_size))


def average(state: DualAveraging, acceptance: float, target: float) -> DualAveraging:
    r"""Learn from one more step.

    .. math::
        \bar H_t = \Bigl(1-\frac1{t+t_0}\Bigr)\bar H_{t-1}+\frac{\delta-\alpha_t}{t+t_0}, \qquad
        \log\epsilon_{t+1} = \mu-\frac{\sqrt t}{\gamma}\bar H_t, \qquad
        \log\bar\epsilon_{t+1} = t^{-\kappa}\log\epsilon_{t+1}+(1-t^{-\kappa})\log\bar\epsilon_t

    Args:
        state: Of :func:`start_averaging` or the step before.
        acceptance: :math:`\alpha_t`, the mean over the chains.
        target: :math:`\delta`.

    Reference:
        Hoffman and Gelman, The No-U-Turn Sampler, 2014, section 3.2.
    """
    t = state.steps + 1
    share = 1 / (t + DELAY)
    error = (1 - share) * state.error + share * (target - acceptance)
    log_step = state.center - math.sqrt(t) / SHRINKAGE * error
    weight = t**-FORGETTING
    log_average = weight * log_step + (1 - weight) * state.log_average
    return DualAveraging(state.center, log_step, log_average, error, t)


def guess_step_size(
    log_density: LogDensity,
    state: State,
    step_size: float,
    inverse_mass: torch.Tensor | None,
    generator: torch.Generator,
) -> float:
    """Double or halve a step until single leapfrog steps are accepted about half the time, in the mean over the chains."""

    def is_easy(size: float) -> bool:
        _, info = mala.step(
            log_density, state, step_size=size, inverse_mass=inverse_mass, generator=generator
        )
        return float(info.acceptance.mean()) > 0.5

    factor = 2.0 if is_easy(step_size) else 0.5
    for _ in range(60):
        step_size *= factor
        if is_easy(step_size) != (factor > 1):
            break
    return step_size
