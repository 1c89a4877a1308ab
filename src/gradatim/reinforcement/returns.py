"""What actions were worth: returns, and advantages that trade bias for variance."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays


@takes_arrays
def discounted_returns(
    rewards: Tensor, ended: Tensor, gamma: float, *, following: Tensor | None = None
) -> Tensor:
    r"""Add up the rewards from each step on, each later one worth less.

    .. math:: G_t = r_t + \gamma\,(1-e_t)\,G_{t+1}

    With :math:`\gamma=1` this is finite only where episodes end.

    Args:
        rewards: :math:`r`, time first, shape ``(T, N)``.
        ended: :math:`e`, whether an episode ended with the step, shape ``(T, N)``.
        gamma: :math:`\gamma`.
        following: What is worth having after the last step, and where an episode was only cut off, as values of the state
            after each step, 0 after a true end, shape ``(T, N)``; by default nothing.

    Example:
        >>> discounted_returns(torch.tensor([[1.0], [2.0], [4.0]]), torch.tensor([[0], [1], [0]]), 0.5).T
        tensor([[2., 2., 4.]])
    """
    ended = ended.bool()
    after = torch.zeros_like(rewards) if following is None else following
    found, later = torch.empty_like(rewards), after[-1:].sum(0)
    for t in range(len(rewards) - 1, -1, -1):
        later = rewards[t] + gamma * torch.where(ended[t], after[t], later)
        found[t] = later
    return found


@takes_arrays
def generalized_advantages(
    rewards: Tensor,
    values: Tensor,
    following: Tensor,
    terminated: Tensor,
    ended: Tensor,
    *,
    gamma: float,
    lam: float,
) -> Tensor:
    r"""How much better actions were than expected, from one step's surprise (:math:`\lambda=0`) to all of them (1).

    .. math:: \delta_t = r_t + \gamma\,(1-d_t)\,V(s'_t) - V(s_t), \qquad
        A_t = \delta_t + \gamma\lambda\,(1-e_t)\,A_{t+1}

    Truncation bootstraps, termination does not: an episode that was only cut off counts the value of its last state, one
    that is over counts nothing.

    Args:
        rewards: :math:`r`, time first, shape ``(T, N)``.
        values: :math:`V(s_t)`, shape ``(T, N)``.
        following: :math:`V(s'_t)` of the states that the steps led to, before any new start, shape ``(T, N)``.
        terminated: :math:`d`, whether the task was over, shape ``(T, N)``.
        ended: :math:`e`, whether the episode ended in any way, shape ``(T, N)``.
        gamma: :math:`\gamma`.
        lam: :math:`\lambda`.

    Example:
        >>> one = torch.ones(2, 1)
        >>> generalized_advantages(one, 0 * one, 5 * one, one.bool(), one.bool(), gamma=0.9, lam=1.0).T
        tensor([[1., 1.]])

    Reference:
        Schulman et al., High-Dimensional Continuous Control Using Generalized Advantage Estimation, 2016, eq. 16.
    """
    surprise = rewards + gamma * following * ~terminated.bool() - values
    keep = gamma * lam * ~ended.bool()
    found, later = torch.empty_like(surprise), torch.zeros_like(surprise[:1]).sum(0)
    for t in range(len(rewards) - 1, -1, -1):
        later = surprise[t] + keep[t] * later
        found[t] = later
    return found
