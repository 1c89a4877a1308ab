"""Stochastic gradient Langevin dynamics: descent on batches whose noise makes it a sampler."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.density import LogDensity, check_start, evaluate, read_position
from gradatim.bayes.mass import check_mass, draw_momentum, velocity
from gradatim.errors import require

__all__ = ["Info", "State", "init", "step"]


class State(NamedTuple):
    r"""Where the chains stand.

    Args:
        position: :math:`\theta`, shape ``(C, d)``.
    """

    position: Tensor


class Info(NamedTuple):
    """What each chain saw before it moved, shape ``(C,)`` each.

    Args:
        log_density: The batch's estimate of :math:`\\log p`.
        gradient_norm: Length of its gradient.
    """

    log_density: Tensor
    gradient_norm: Tensor


@takes_arrays
def init(log_density: LogDensity, position: Tensor) -> State:
    r"""Place the chains.

    Args:
        log_density: An estimate of :math:`\log p` from ``(C, d)`` to ``(C,)``, such as the first batch's; it must be finite
            where the chains start.
        position: Where the chains start, shape ``(C, d)``.
    """
    position = read_position(position)
    check_start(evaluate(log_density, position)[0])
    return State(position)


@takes_arrays
@torch.no_grad()
def step(
    log_density: LogDensity,
    state: State,
    *,
    lr: float,
    temperature: float = 1.0,
    inverse_mass: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> tuple[State, Info]:
    r"""Climb the estimate of a batch, and be kicked by noise of the right size.

    .. math::
        \theta_{t+1} = \theta_t+\eta\,\Sigma\,\widehat{\nabla\log p}(\theta_t)+\sqrt{2\eta T}\,\Sigma^{1/2}\xi_t,
        \qquad \xi_t\sim N(0, I)

    as :class:`gradatim.optim.Langevin` does for the parameters of a network, there with a loss that is a mean over
    :math:`N` rows and so with :math:`T=1/N`. For :math:`\eta\to0` the draws follow :math:`p^{1/T}`; a constant :math:`\eta`
    leaves an error of order :math:`\eta`, and nothing is rejected.

    Args:
        log_density: An estimate of :math:`\log p`, from ``(C, d)`` to ``(C,)``, unbiased over the batches: the prior plus
            the likelihood of the batch's :math:`B` rows times :math:`N/B`. Every step may bring another.
        state: Of ``init`` or the step before.
        lr: :math:`\eta`.
        temperature: :math:`T`; 0 is gradient ascent.
        inverse_mass: :math:`\Sigma`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.
        generator: Source of the noise.

    Example:
        >>> density = lambda x: -x.square().sum(1) / 2
        >>> state, g = init(density, torch.zeros(2000, 1)), torch.Generator().manual_seed(0)
        >>> for _ in range(50):
        ...     state, info = step(density, state, lr=0.1, generator=g)
        >>> 0.95 < state.position.var().item() < 1.15
        True

    Reference:
        Welling and Teh, Bayesian Learning via Stochastic Gradient Langevin Dynamics, 2011. They write
        :math:`\epsilon/2` for :math:`\eta`.
    """
    require(lr > 0, "sgld: lr must be more than 0", lr, "Try lr=1e-3.")
    require(temperature >= 0, "sgld: temperature must be at least 0", temperature, "Try temperature=1.0.")  # fmt: skip
    check_mass("sgld", inverse_mass, state.position)
    value, gradient = evaluate(log_density, state.position)
    kick = draw_momentum(inverse_mass, gradient, generator)
    move = gradient.mul(lr).add_(kick, alpha=math.sqrt(2 * lr * temperature))
    position = state.position + velocity(inverse_mass, move)
    return State(position), Info(value, gradient.norm(dim=1))
