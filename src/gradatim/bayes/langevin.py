"""Underdamped Langevin dynamics: a heavy ball with friction, kept warm by noise."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.density import LogDensity, check_start, evaluate, read_position
from gradatim.bayes.hamiltonian import check_step
from gradatim.bayes.mass import check_mass, draw_momentum, drift_
from gradatim.errors import require

__all__ = ["Info", "State", "init", "step"]


class State(NamedTuple):
    r"""Where the balls are and how they move.

    Args:
        position: :math:`\theta`, shape ``(C, d)``.
        momentum: :math:`v`, shape ``(C, d)``.
        log_density: :math:`\log p(\theta)`, shape ``(C,)``.
        gradient: :math:`\nabla\log p(\theta)`, shape ``(C, d)``.
    """

    position: Tensor
    momentum: Tensor
    log_density: Tensor
    gradient: Tensor


class Info(NamedTuple):
    r"""What happened to each chain, shape ``(C,)`` each.

    Args:
        log_density: :math:`\log p` where it came to.
        speed: Length of its momentum, :math:`\sqrt{dT}` in the mean square for unit mass.
    """

    log_density: Tensor
    speed: Tensor


@takes_arrays
def init(log_density: LogDensity, position: Tensor) -> State:
    r"""Place the balls at rest; they are warm after a few times :math:`1/\gamma`.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, d)`` to ``(C,)``.
        position: Where the chains start, shape ``(C, d)``.
    """
    position = read_position(position)
    value, gradient = evaluate(log_density, position)
    check_start(value)
    return State(position, torch.zeros_like(position), value, gradient)


@takes_arrays
@torch.no_grad()
def step(
    log_density: LogDensity,
    state: State,
    *,
    step_size: float,
    friction: float = 1.0,
    temperature: float = 1.0,
    inverse_mass: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[State, Info]:
    r"""Push, roll, rub and shake, roll, push.

    .. math::
        d\theta = M^{-1}v\,dt, \qquad
        dv = \nabla\log p(\theta)\,dt-\gamma v\,dt+\sqrt{2\gamma T}\,M^{1/2}\,dW

    split into parts that are each solved exactly, with :math:`c=e^{-\gamma\epsilon}`:

    .. math::
        v \leftarrow v+\tfrac\epsilon2\nabla\log p, \quad
        \theta \leftarrow \theta+\tfrac\epsilon2M^{-1}v, \quad
        v \leftarrow cv+\sqrt{(1-c^2)\,T}\,M^{1/2}\xi, \quad
        \theta \leftarrow \theta+\tfrac\epsilon2M^{-1}v, \quad
        v \leftarrow v+\tfrac\epsilon2\nabla\log p

    The positions follow :math:`p^{1/T}`, without error on Gaussians for any stable step, else with one of order
    :math:`\epsilon^2`; nothing is rejected. At :math:`T=0` they are those of the heavy ball with momentum :math:`c` and rate
    :math:`\epsilon^2(1+c)/2`, :class:`gradatim.optim.HeavyBall`. Where lecture notes multiply the
    gradient by an undefined :math:`s`, it is :math:`1/T`, so 1 for the density itself.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, d)`` to ``(C,)``.
        state: Of ``init`` or the step before.
        step_size: :math:`\epsilon`.
        friction: :math:`\gamma`.
        temperature: :math:`T`.
        inverse_mass: :math:`M^{-1}`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.
        generator: Source of the noise.

    Example:
        >>> density = lambda x: -x.square().sum(1) / 2
        >>> state, g = init(density, torch.zeros(2000, 1)), torch.Generator().manual_seed(0)
        >>> for _ in range(30):
        ...     state, info = step(density, state, step_size=0.5, generator=g)
        >>> 0.9 < state.position.var().item() < 1.1
        True

    Reference:
        Leimkuhler and Matthews, Rational construction of stochastic numerical methods for molecular sampling, 2013
        ("BAOAB").
    """
    check_step("langevin", step_size)
    require(friction >= 0, "langevin: friction must be at least 0", friction, "Try friction=1.0.")
    require(temperature >= 0, "langevin: temperature must be at least 0", temperature, "Try temperature=1.0.")  # fmt: skip
    check_mass("langevin", inverse_mass, state.position)
    keep = math.exp(-friction * step_size)
    position = state.position.clone()
    momentum = state.momentum.add(state.gradient, alpha=step_size / 2)
    drift_(position, momentum, step_size / 2, inverse_mass)
    noise = draw_momentum(inverse_mass, position, generator)
    momentum.mul_(keep).add_(noise, alpha=math.sqrt((1 - keep**2) * temperature))
    drift_(position, momentum, step_size / 2, inverse_mass)
    value, gradient = evaluate(log_density, position)
    momentum.add_(gradient, alpha=step_size / 2)
    return State(position, momentum, value, gradient), Info(value, momentum.norm(dim=1))
