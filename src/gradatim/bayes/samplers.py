"""The samplers by name, and what ``sample`` must know of one."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from gradatim.bayes import hmc, langevin, mala, metropolis, nuts, sghmc, sgld
from gradatim.bayes.density import LogDensity, State
from gradatim.errors import choose

LONGEST = 1024  # leapfrog steps of a path


class Sampler(NamedTuple):
    r"""A way to sample, as :func:`sample` takes it.

    Args:
        init: From ``(log_density, position)`` to a named tuple that begins with the position.
        step: From ``(log_density, state, *, step_size, inverse_mass, generator)`` to a new state and a named tuple with
            what happened; ``partial(hmc.step, num_steps=8)`` is one.
        target_acceptance: The mean acceptance for which warm-up chooses the step.
        mass: What warm-up learns: ``"unit"``, ``"diagonal"`` or ``"dense"``.
        step_size: A step to keep; by default it is learned.
        tuner: Who warms up in its place, for samplers that reject nothing and so do not see a step that is too long.

    Example:
        >>> from functools import partial
        >>> short = Sampler(hmc.init, partial(hmc.step, num_steps=8), mass="dense")
        >>> short.target_acceptance
        0.8
    """

    init: Callable[[LogDensity, Tensor], Any]
    step: Callable[..., tuple[Any, Any]]
    target_acceptance: float = 0.8
    mass: str = "diagonal"
    step_size: float | None = None
    tuner: "Sampler | None" = None


def _wander(
    log_density: LogDensity,
    state: metropolis.State,
    *,
    step_size: float,
    inverse_mass: Tensor | None,
    generator: torch.Generator,
) -> tuple[metropolis.State, metropolis.Info]:
    propose = metropolis.random_walk(step_size=step_size, inverse_mass=inverse_mass)
    return metropolis.step(log_density, state, propose=propose, generator=generator)


def _travel(
    log_density: LogDensity,
    state: State,
    *,
    step_size: float,
    inverse_mass: Tensor | None,
    generator: torch.Generator,
) -> tuple[State, hmc.Info]:
    """HMC with a path of random length up to half a turn, so that no direction always comes back to where it was."""
    most = min(math.ceil(math.pi / step_size), LONGEST)
    steps = int(torch.randint(1, most + 1, (), generator=generator, device=generator.device))
    return hmc.step(
        log_density, state, step_size=step_size, num_steps=steps, inverse_mass=inverse_mass, generator=generator
    )  # fmt: skip


def _climb(
    log_density: LogDensity,
    state: sgld.State,
    *,
    step_size: float,
    inverse_mass: Tensor | None,
    generator: torch.Generator,
) -> tuple[sgld.State, sgld.Info]:
    return sgld.step(log_density, state, lr=step_size**2 / 2, inverse_mass=inverse_mass, generator=generator)  # fmt: skip


def _roll(
    log_density: LogDensity,
    state: sghmc.State,
    *,
    step_size: float,
    inverse_mass: Tensor | None,
    generator: torch.Generator,
) -> tuple[sghmc.State, sghmc.Info]:
    """The step and friction of ``langevin``, whose friction is 1, in the words of the heavy ball."""
    keep = math.exp(-step_size)
    lr = step_size**2 * (1 + keep) / 2
    return sghmc.step(
        log_density, state, lr=lr, momentum=keep, inverse_mass=inverse_mass, generator=generator
    )


_CAREFUL = Sampler(mala.init, mala.step, target_acceptance=0.95)

SAMPLERS: dict[str, Sampler] = {
    "nuts": Sampler(nuts.init, nuts.step),
    "hmc": Sampler(hmc.init, _travel),
    "mala": Sampler(mala.init, mala.step, target_acceptance=0.574),
    "metropolis": Sampler(metropolis.init, _wander, target_acceptance=0.234),
    "langevin": Sampler(langevin.init, langevin.step, tuner=_CAREFUL),
    "sghmc": Sampler(sghmc.init, _roll, tuner=_CAREFUL),
    "sgld": Sampler(sgld.init, _climb, tuner=_CAREFUL),
}


def find_sampler(sampler: "str | Sampler") -> Sampler:
    """The sampler of a name, or the one given."""
    if isinstance(sampler, Sampler):
        return sampler
    return SAMPLERS[choose("sample", "sampler", sampler, SAMPLERS)]
