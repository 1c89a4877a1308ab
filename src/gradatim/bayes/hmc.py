"""Hamiltonian Monte Carlo: a random push, a path without friction, and a fair decision at its end."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.accepting import accept
from gradatim.bayes.density import LogDensity, State, init
from gradatim.bayes.hamiltonian import DIVERGENCE, check_step, follow
from gradatim.bayes.mass import check_mass, draw_momentum, kinetic_energy
from gradatim.errors import require_whole

__all__ = ["Info", "State", "init", "step"]


class Info(NamedTuple):
    """What happened to each chain, shape ``(C,)`` each.

    Args:
        acceptance: Probability with which the end of the path was taken.
        is_accepted: Whether it was.
        is_divergent: Whether the path left the density: the energy grew by more than 1000.
        energy: :math:`H` at the start of the path.
    """

    acceptance: Tensor
    is_accepted: Tensor
    is_divergent: Tensor
    energy: Tensor


@takes_arrays
@torch.no_grad()
def step(
    log_density: LogDensity,
    state: State,
    *,
    step_size: float,
    num_steps: int,
    inverse_mass: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[State, Info]:
    r"""Draw a momentum, follow Hamilton's equations, and take the end of the path with the right probability.

    .. math::
        v\sim N(0, M), \qquad (\theta', v') = \text{leapfrog}(\theta, v), \qquad
        \alpha = \min\bigl(1, e^{H(\theta, v)-H(\theta', v')}\bigr), \qquad
        H(\theta, v) = -\log p(\theta)+\tfrac12v^\top M^{-1}v

    Some lecture notes print Euler steps, :math:`\dot\theta=v` and no decision; as printed it does not sample :math:`p`. Here
    the steps are those of the leapfrog, :math:`\dot\theta=M^{-1}v`, and the end is accepted or refused.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, d)`` to ``(C,)``.
        state: Of ``init`` or the step before.
        step_size: :math:`\epsilon` of the leapfrog.
        num_steps: Leapfrog steps of the path.
        inverse_mass: :math:`M^{-1}`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.
        generator: Source of momenta and decisions.

    Example:
        >>> density = lambda x: -x.square().sum(1) / 2
        >>> state, g = init(density, torch.zeros(2000, 1)), torch.Generator().manual_seed(0)
        >>> for _ in range(5):
        ...     state, info = step(density, state, step_size=0.5, num_steps=3, generator=g)
        >>> 0.9 < state.position.var().item() < 1.1, 0.9 < info.acceptance.mean().item() <= 1.0
        (True, True)

    Reference:
        Duane et al., Hybrid Monte Carlo, 1987; Neal, MCMC using Hamiltonian dynamics, 2011.
    """
    check_step("hmc", step_size)
    require_whole("hmc", num_steps=num_steps)
    check_mass("hmc", inverse_mass, state.position)
    momentum = draw_momentum(inverse_mass, state.position, generator)
    end, turned = follow(log_density, state, momentum, step_size, num_steps, inverse_mass)
    energy = kinetic_energy(inverse_mass, momentum) - state.log_density
    gain = energy - kinetic_energy(inverse_mass, turned) + end.log_density
    taken, acceptance, is_accepted = accept(gain, end, state, generator)
    return taken, Info(acceptance, is_accepted, ~(gain > -DIVERGENCE), energy)
