"""Stochastic gradient HMC: heavy-ball momentum on batches whose noise makes it a sampler."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.density import LogDensity, check_start, evaluate, read_position
from gradatim.bayes.mass import check_mass, draw_momentum, velocity
from gradatim.bayes.sgld import Info
from gradatim.errors import require

__all__ = ["Info", "State", "init", "step"]


class State(NamedTuple):
    r"""Where the chains stand and how they last moved.

    Args:
        position: :math:`\theta`, shape ``(C, d)``.
        velocity: :math:`u`, the last move, shape ``(C, d)``.
    """

    position: Tensor
    velocity: Tensor


@takes_arrays
def init(log_density: LogDensity, position: Tensor) -> State:
    r"""Place the chains at rest.

    Args:
        log_density: An estimate of :math:`\log p` from ``(C, d)`` to ``(C,)``, such as the first batch's; it must be finite
            where the chains start.
        position: Where the chains start, shape ``(C, d)``.
    """
    position = read_position(position)
    check_start(evaluate(log_density, position)[0])
    return State(position, torch.zeros_like(position))


@takes_arrays
@torch.no_grad()
def step(
    log_density: LogDensity,
    state: State,
    *,
    lr: float,
    momentum: float = 0.9,
    temperature: float = 1.0,
    inverse_mass: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[State, Info]:
    r"""Repeat a part of the last move, climb the estimate of a batch, and be kicked by noise of the right size.

    .. math::
        u_{t+1} = \beta u_t+\eta\,\Sigma\,\widehat{\nabla\log p}(\theta_t)+\sqrt{2(1-\beta)\eta T}\,\Sigma^{1/2}\xi_t,
        \qquad \theta_{t+1} = \theta_t+u_{t+1}

    For :math:`\eta\to0` the draws follow :math:`p^{1/T}`; :math:`T=0` is the heavy ball,
    :class:`gradatim.optim.HeavyBall`. Nothing is rejected.

    Args:
        log_density: An estimate of :math:`\log p`, from ``(C, d)`` to ``(C,)``, as for ``sgld``.
        state: Of ``init`` or the step before.
        lr: :math:`\eta`.
        momentum: :math:`\beta` in [0, 1); 0 is ``sgld``.
        temperature: :math:`T`.
        inverse_mass: :math:`\Sigma`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.
        generator: Source of the noise.

    Example:
        >>> density = lambda x: -x.square().sum(1) / 2
        >>> state, g = init(density, torch.zeros(2000, 1)), torch.Generator().manual_seed(0)
        >>> for _ in range(50):
        ...     state, info = step(density, state, lr=0.02, momentum=0.8, generator=g)
        >>> 0.9 < state.position.var().item() < 1.1
        True

    Reference:
        Chen, Fox and Guestrin, Stochastic Gradient Hamiltonian Monte Carlo, 2014, eq. 15; their :math:`\alpha` is
        :math:`1-\beta`, their estimate of the batches' own noise is 0.
    """
    require(lr > 0, "sghmc: lr must be more than 0", lr, "Try lr=1e-3.")
    require(0 <= momentum < 1, "sghmc: momentum must be in [0, 1)", momentum, "Try momentum=0.9.")
    require(temperature >= 0, "sghmc: temperature must be at least 0", temperature, "Try temperature=1.0.")  # fmt: skip
    check_mass("sghmc", inverse_mass, state.position)
    value, gradient = evaluate(log_density, state.position)
    kick = draw_momentum(inverse_mass, gradient, generator)
    scale = math.sqrt(2 * (1 - momentum) * lr * temperature)
    push = velocity(inverse_mass, gradient.mul(lr).add_(kick, alpha=scale))
    move = momentum * state.velocity + push
    return State(state.position + move, move), Info(value, gradient.norm(dim=1))
