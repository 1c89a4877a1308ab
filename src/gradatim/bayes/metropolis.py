"""Metropolis and Hastings: propose anything, and decide so that the density stays."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.bayes.accepting import accept
from gradatim.bayes.density import LogDensity, check_shape, check_start
from gradatim.bayes.hamiltonian import check_step
from gradatim.bayes.mass import draw_momentum, velocity

__all__ = ["Info", "Proposal", "State", "init", "random_walk", "step"]


class State(NamedTuple):
    r"""Where chains stand that need no gradient.

    Args:
        position: A row per chain, shape ``(C, ...)``; whole numbers too.
        log_density: :math:`\log p`, shape ``(C,)``.
    """

    position: Tensor
    log_density: Tensor


class Proposal(NamedTuple):
    r"""Where a chain might go.

    Args:
        position: :math:`\theta'`, shaped like the present one.
        log_ratio: :math:`\log q(\theta\mid\theta')-\log q(\theta'\mid\theta)`, shape ``(C,)``; 0 where the proposal is
            symmetric.
    """

    position: Tensor
    log_ratio: Tensor | float = 0.0


class Info(NamedTuple):
    """What happened to each chain, shape ``(C,)`` each.

    Args:
        acceptance: Probability with which the proposal was taken.
        is_accepted: Whether it was.
    """

    acceptance: Tensor
    is_accepted: Tensor


Propose = Callable[[Tensor, torch.Generator | None], Proposal]


@takes_arrays
@torch.no_grad()
def init(log_density: LogDensity, position: Tensor) -> State:
    r"""Place the chains and look at the density there.

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, ...)`` to ``(C,)``.
        position: Where the chains start, a row per chain.
    """
    value = log_density(position)
    check_shape(value, position)
    check_start(value)
    return State(position.clone(), value)


def random_walk(*, step_size: float, inverse_mass: Tensor | None = None) -> Propose:
    r"""The symmetric proposal :math:`\theta' = \theta+\epsilon\,\Sigma^{1/2}\xi`, :math:`\xi\sim N(0, I)`.

    Args:
        step_size: :math:`\epsilon`; :math:`2.38/\sqrt d` is best on a Gaussian of covariance :math:`\Sigma` in many
            dimensions, where it is taken 23 times of 100.
        inverse_mass: :math:`\Sigma`: its diagonal ``(d,)`` or the matrix ``(d, d)``; by default the identity.
    """
    check_step("random_walk", step_size)

    def propose(position: Tensor, generator: torch.Generator | None) -> Proposal:
        kick = velocity(inverse_mass, draw_momentum(inverse_mass, position, generator))
        return Proposal(position.add(kick, alpha=step_size))

    return propose


@torch.no_grad()
def step(
    log_density: LogDensity,
    state: State,
    *,
    propose: Propose,
    generator: torch.Generator | None = None,
) -> tuple[State, Info]:
    r"""Propose a place and take it with the probability that keeps detailed balance.

    .. math::
        \theta'\sim q(\cdot\mid\theta), \qquad \alpha = \min\Bigl(1,
        \frac{p(\theta')\,q(\theta\mid\theta')}{p(\theta)\,q(\theta'\mid\theta)}\Bigr), \qquad
        p(\theta)\,\Pi(\theta'\mid\theta) = p(\theta')\,\Pi(\theta\mid\theta')

    Args:
        log_density: :math:`\log p` up to a constant, from ``(C, ...)`` to ``(C,)``.
        state: Of ``init`` or the step before.
        propose: From positions and a generator to a ``Proposal``, such as ``random_walk(step_size=1.0)``.
        generator: Source of proposals and decisions.

    Example:
        >>> density = lambda x: -x.square().sum(1) / 2
        >>> state, g = init(density, torch.zeros(2000, 1)), torch.Generator().manual_seed(0)
        >>> for _ in range(50):
        ...     state, info = step(density, state, propose=random_walk(step_size=2.0), generator=g)
        >>> 0.9 < state.position.var().item() < 1.1
        True

    Reference:
        Metropolis et al., Equation of state calculations by fast computing machines, 1953; Hastings, 1970.
    """
    proposal = propose(state.position, generator)
    value = log_density(proposal.position)
    log_ratio = value - state.log_density + proposal.log_ratio
    end = State(proposal.position, value)
    taken, acceptance, is_accepted = accept(log_ratio, end, state, generator)
    return taken, Info(acceptance, is_accepted)
