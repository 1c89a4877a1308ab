"""Langevin's step with a fair decision: the Metropolis-adjusted Langevin algorithm."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.accepting import accept
from gradatim.bayes.density import LogDensity, State, evaluate, init
from gradatim.bayes.hamiltonian import check_step
from gradatim.bayes.mass import check_mass, draw_momentum, kinetic_energy, velocity

__all__ = ["Info", "State", "init", "step"]


class Info(NamedTuple):
    """What happened to each chain, shape ``(C,)`` each.

    Args:
        acceptance: Probability with which the proposal was taken.
        is_accepted: Whether it was.
    """

    acceptance: Tensor
    is_accepted: Tensor


@takes_arrays
@torch.no_grad()
def step(
    log_density: LogDensity,
    state: State,
    *,
    step_size: float,
    inverse_mass: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[State, Info]:
    r"""Go uphill, be kicked, and take the new place with the right probability.

    .. math::
        \theta' = \theta+\tfrac{\epsilon^2}2\Sigma\nabla\log p(\theta)+\epsilon\,\Sigma^{1/2}\xi, \qquad
        \alpha = \min\Bigl(1, \frac{p(\theta')\,q(\theta\mid\theta')}{p(\theta)\,q(\theta'\mid\theta)}\Bigr), \qquad
        \xi\sim N(0, I)

    With :math:`\xi=\Sigma^{1/2}v`, :math:`q(\theta'\mid\theta)\propto e^{-v^\top\Sigma v/2}`, and the way back needs the push
    :math:`v' = v+\tfrac\epsilon2(\nabla\log p(\theta)+\nabla\log p(\theta'))`: it is HMC with one leapfrog step. The rate
    :math:`\eta` of :class:`gradatim.optim.Langevin` is :math:`\epsilon^2/2`.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, d)`` to ``(C,)``.
        state: Of ``init`` or the step before.
        step_size: :math:`\epsilon`.
        inverse_mass: :math:`\Sigma`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.
        generator: Source of noise and decisions.

    Example:
        >>> density = lambda x: -x.square().sum(1) / 2
        >>> state, g = init(density, torch.zeros(2000, 1)), torch.Generator().manual_seed(0)
        >>> for _ in range(20):
        ...     state, info = step(density, state, step_size=1.0, generator=g)
        >>> 0.9 < state.position.var().item() < 1.1
        True

    Reference:
        Roberts and Tweedie, Exponential convergence of Langevin distributions, 1996.
    """
    check_step("mala", step_size)
    check_mass("mala", inverse_mass, state.position)
    push = draw_momentum(inverse_mass, state.position, generator)
    uphill = push.add(state.gradient, alpha=step_size / 2)
    position = state.position.add(velocity(inverse_mass, uphill), alpha=step_size)
    end = State(position, *evaluate(log_density, position))
    back = uphill.add(end.gradient, alpha=step_size / 2)
    there, again = kinetic_energy(inverse_mass, push), kinetic_energy(inverse_mass, back)
    log_ratio = (end.log_density - again) - (state.log_density - there)
    taken, acceptance, is_accepted = accept(log_ratio, end, state, generator)
    return taken, Info(acceptance, is_accepted)
