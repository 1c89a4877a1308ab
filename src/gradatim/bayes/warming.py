"""Warm-up: the chains find the density, and the sampler its step and its mass, for all chains together."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.bayes.covariance import Welford, add_rows, covariance, start_welford
from gradatim.bayes.density import LogDensity, State
from gradatim.bayes.samplers import Sampler
from gradatim.bayes.step_size import DualAveraging, average, guess_step_size, start_averaging

NEVER, PATIENCE = 1e-3, 5  # a chain that accepts less than this, so often in a row, stands still


class Tuning(NamedTuple):
    """What a sampler has learned.

    Args:
        step: Of the step size.
        seen: Draws of the present window.
        inverse_mass: Of the windows before; ``None`` is the identity.
        idle: For how many steps each chain has stood still, shape ``(C,)``.
    """

    step: DualAveraging
    seen: Welford
    inverse_mass: Tensor | None
    idle: Tensor


def windows(warmup: int) -> list[int]:
    """Numbers of draws after which a window ends; the first begins at the first of them.

    Stan's proportions: 7.5 % to find the density, windows that double from 2.5 %, and 5 % for the last step size, though
    that needs 50 draws where they are not more than a fifth.

    >>> windows(1000)
    [75, 100, 150, 250, 450, 950]
    """
    end = warmup - max(round(0.05 * warmup), min(50, warmup // 5))
    begin, width = round(0.075 * warmup), max(round(0.025 * warmup), 5)
    ends = [begin]
    while ends[-1] + width <= end:
        is_last = ends[-1] + 3 * width > end  # no room for another that is twice as wide
        ends.append(end if is_last else ends[-1] + width)
        width *= 2
    return ends


def start_tuning(
    log_density: LogDensity, sampler: Sampler, state: tuple[Tensor, ...], generator: torch.Generator
) -> Tuning:
    """A first guess of the step, with the identity as mass."""
    seen = start_welford(sampler.mass, state[0])
    step = _first_step(log_density, sampler, state, None, generator)
    return Tuning(start_averaging(step), seen, None, torch.zeros(len(state[0])))


def tune(
    log_density: LogDensity,
    sampler: Sampler,
    tuning: Tuning,
    state: tuple[Tensor, ...],
    acceptance: Tensor,
    done: int,
    ends: list[int],
    generator: torch.Generator,
) -> Tuning:
    """Learn from draw number ``done`` of the warm-up, at whose ``ends`` a window gives the mass.

    The step follows the mean acceptance of the chains; one that stands still, which the mean would hide, halts them all.
    """
    idle = torch.where(acceptance.cpu() < NEVER, tuning.idle + 1, 0.0)
    mean = 0.0 if float(idle.max()) >= PATIENCE else float(acceptance.mean())
    step = average(tuning.step, mean, sampler.target_acceptance)
    tuning = tuning._replace(step=step, idle=idle)
    if sampler.mass == "unit" or not ends[0] < done <= ends[-1]:
        return tuning
    seen = add_rows(tuning.seen, state[0])
    if done not in ends:
        return tuning._replace(seen=seen)
    mass = covariance(seen)
    step = start_averaging(_first_step(log_density, sampler, state, mass, generator))
    return Tuning(step, start_welford(sampler.mass, state[0]), mass, torch.zeros_like(idle))


def _first_step(
    log_density: LogDensity,
    sampler: Sampler,
    state: tuple[Tensor, ...],
    inverse_mass: Tensor | None,
    generator: torch.Generator,
) -> float:
    guess = 2.38 / math.sqrt(state[0].shape[1])  # best for a random walk on a Gaussian
    if not isinstance(state, State):  # of a sampler without gradients
        return guess
    return guess_step_size(log_density, state, guess, inverse_mass, generator)
