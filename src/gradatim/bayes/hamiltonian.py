"""Hamilton's equations in steps that can be taken back: the leapfrog."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.density import LogDensity, State, evaluate
from gradatim.bayes.mass import check_mass, drift_
from gradatim.errors import require, require_whole

DIVERGENCE = 1000.0  # error of the energy at which a path has left the density, as in Stan


class Phase(NamedTuple):
    r"""A point of phase space.

    Args:
        position: :math:`\theta`, shape ``(C, d)``.
        momentum: :math:`v`, shape ``(C, d)``.
    """

    position: Tensor
    momentum: Tensor


@takes_arrays
@torch.no_grad()
def leapfrog(
    log_density: LogDensity,
    position: Tensor,
    momentum: Tensor,
    *,
    step_size: float,
    num_steps: int,
    inverse_mass: Tensor | None = None,
) -> Phase:
    r"""Follow Hamilton's equations :math:`\dot\theta=M^{-1}v,\ \dot v=\nabla\log p(\theta)` for a while.

    .. math::
        v_{1/2} = v + \tfrac\epsilon2\nabla\log p(\theta), \qquad
        \theta' = \theta + \epsilon M^{-1}v_{1/2}, \qquad
        v' = v_{1/2} + \tfrac\epsilon2\nabla\log p(\theta')

    Each step keeps volumes, and is undone by turning the momentum around; the error of the energy
    :math:`H = -\log p(\theta)+\tfrac12v^\top M^{-1}v` stays bounded, of order :math:`\epsilon^2`. Some lecture notes
    print Euler steps and :math:`\dot\theta=v`: those gain energy without end, and forget the mass.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, d)`` to ``(C,)``.
        position: :math:`\theta`, shape ``(C, d)``.
        momentum: :math:`v`, shape ``(C, d)``.
        step_size: :math:`\epsilon`; a negative one goes back in time.
        num_steps: Steps to take.
        inverse_mass: :math:`M^{-1}`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.

    Example:
        >>> there = leapfrog(lambda x: -x.square().sum(1) / 2, [[1.0]], [[0.0]], step_size=0.1, num_steps=5)
        >>> there
        Phase(position=tensor([[0.8775]]), momentum=tensor([[-0.4790]]))
        >>> leapfrog(lambda x: -x.square().sum(1) / 2, *there, step_size=-0.1, num_steps=5).position
        tensor([[1.]])

    Reference:
        Neal, MCMC using Hamiltonian dynamics, 2011, eq. 5.18-5.20.
    """
    is_step = step_size != 0 and math.isfinite(step_size)
    require(
        is_step, "leapfrog: step_size must be finite and not 0", step_size, "Try step_size=0.1."
    )
    require_whole("leapfrog", num_steps=num_steps)
    require(position.ndim == 2 and position.shape == momentum.shape, "leapfrog: position and momentum must both have shape (chains, d)", f"{tuple(position.shape)} and {tuple(momentum.shape)}")  # fmt: skip
    require(position.is_floating_point() and position.dtype == momentum.dtype, "leapfrog: position and momentum must be real numbers of one precision", f"{position.dtype} and {momentum.dtype}")  # fmt: skip
    check_mass("leapfrog", inverse_mass, position)
    start = State(position, *evaluate(log_density, position))
    end, turned = follow(log_density, start, momentum, step_size, num_steps, inverse_mass)
    return Phase(end.position, turned)


def follow(
    log_density: LogDensity,
    state: State,
    momentum: Tensor,
    step_size: float,
    num_steps: int,
    inverse_mass: Tensor | None,
) -> tuple[State, Tensor]:
    """Take leapfrog steps, a gradient each; neighbouring half steps of the momentum are taken as one."""
    position, value, gradient = state.position.clone(), state.log_density, state.gradient
    momentum = momentum.add(gradient, alpha=step_size / 2)
    for left in range(num_steps - 1, -1, -1):
        drift_(position, momentum, step_size, inverse_mass)
        value, gradient = evaluate(log_density, position)
        momentum.add_(gradient, alpha=step_size if left else step_size / 2)
    return State(position, value, gradient), momentum


def check_step(owner: str, step_size: float) -> None:
    """Raise unless a sampler's step leads somewhere."""
    require(step_size > 0, f"{owner}: step_size must be more than 0", step_size, "Try step_size=0.1.")  # fmt: skip
