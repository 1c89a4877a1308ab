"""Planning: the best that can be had where everything about a world is known."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require
from gradatim.reinforcement.environment import require_gamma
from gradatim.reinforcement.grid import Model


class Plan(NamedTuple):
    r"""The best values of a finite world, and how they were found.

    Args:
        values: :math:`V^*(s)=\max_a Q^*(s,a)`, shape ``(S,)``.
        q: :math:`Q^*(s,a)`, shape ``(S, A)``.
        policy: A best action of each state, shape ``(S,)``.
        changes: The largest change of a value in each sweep.
    """

    values: Tensor
    q: Tensor
    policy: Tensor
    changes: list[float]


@takes_arrays
def bellman_backup(transitions: Tensor, rewards: Tensor, values: Tensor, *, gamma: float) -> Tensor:
    r"""What each action is worth if the values of the states it leads to are right.

    .. math:: Q(s,a) = R(s,a) + \gamma\sum_{s'}P(s'\mid s,a)\,V(s')

    The maximum over actions contracts: :math:`\lVert TU-TV\rVert_\infty\le\gamma\lVert U-V\rVert_\infty`.

    Args:
        transitions: :math:`P`, shape ``(S, A, S)``; what is missing from 1 is the chance that the episode ends.
        rewards: :math:`R`, shape ``(S, A)``.
        values: :math:`V`, shape ``(S,)``.
        gamma: :math:`\gamma`, the worth of a reward one step later.

    Example:
        >>> bellman_backup(torch.tensor([[[0.5]]]), torch.tensor([[1.0]]), torch.tensor([4.0]), gamma=0.5)
        tensor([[2.]])

    Reference:
        Bellman, Dynamic Programming, 1957.
    """
    return rewards + gamma * (transitions @ values)


def value_iteration(model: Model, *, gamma: float, tol: float = 1e-10, max_sweeps: int = 100_000) -> Plan:  # fmt: skip
    r"""Repeat Bellman's backup until nothing changes: :math:`V\leftarrow\max_a Q(\cdot,a)`.

    With :math:`\gamma=1` values are finite only where episodes end, which is asked for.

    Args:
        model: What can happen; ``Maze().model()``, or tables of your own.
        gamma: :math:`\gamma`.
        tol: It is done when no value changes by more.
        max_sweeps: Sweeps after which it gives up.

    Example:
        >>> from gradatim.reinforcement import WindyGrid
        >>> plan = value_iteration(WindyGrid().model(), gamma=1.0)
        >>> float(plan.values[30])
        -15.0
    """
    _check("value_iteration", model, gamma)
    values, changes = model.rewards.new_zeros(len(model.rewards)), list[float]()
    for _ in range(max_sweeps):
        q = bellman_backup(model.transitions, model.rewards, values, gamma=gamma)
        better = q.amax(1)
        changes.append(float((better - values).abs().max()))
        values = better
        if changes[-1] <= tol:
            q = bellman_backup(model.transitions, model.rewards, values, gamma=gamma)
            return Plan(values, q, q.argmax(1), changes)
    raise InvalidValue(
        f"value_iteration: max_sweeps must suffice for tol={tol}, got {max_sweeps} and a last change of "
        f"{changes[-1] if changes else 'nothing'}. The return may not be finite."
    )


def policy_iteration(model: Model, *, gamma: float, max_steps: int = 1_000) -> Plan:
    r"""Judge a policy exactly, make it greedy, and repeat until it stays.

    .. math:: V_\pi = (I-\gamma P_\pi)^{-1}R_\pi, \qquad \pi\leftarrow\arg\max_a Q_\pi(\cdot,a)

    Args:
        model: What can happen.
        gamma: :math:`\gamma`; it starts from a policy that ends wherever that is possible, so that 1 is allowed there.
        max_steps: Policies after which it gives up.

    Example:
        >>> from gradatim.reinforcement import WindyGrid
        >>> plan = policy_iteration(WindyGrid().model(), gamma=1.0)
        >>> round(float(plan.values[30]), 6)
        -15.0

    Reference:
        Howard, Dynamic Programming and Markov Processes, 1960.
    """
    policy = _check("policy_iteration", model, gamma)
    states = torch.arange(len(policy))
    identity = torch.eye(len(policy), dtype=model.transitions.dtype)
    values, changes = model.rewards.new_zeros(len(policy)), list[float]()
    for _ in range(max_steps):
        chosen = model.transitions[states, policy]  # (S, S)
        judged = torch.linalg.solve(identity - gamma * chosen, model.rewards[states, policy])
        changes.append(float((judged - values).abs().max()))
        values = judged
        q = bellman_backup(model.transitions, model.rewards, values, gamma=gamma)
        is_better = q.amax(1) > q[states, policy] + 1e-10
        if not is_better.any():
            return Plan(values, q, policy, changes)
        policy = torch.where(is_better, q.argmax(1), policy)
    raise InvalidValue(f"policy_iteration: max_steps must suffice, got {max_steps}. Try 1000.")


def _check(owner: str, model: Model, gamma: float) -> Tensor:
    """Refuse what has no finite values; return a policy that ends wherever that is possible."""
    require_gamma(owner, gamma)
    p, r = model
    fits = p.ndim == 3 and r.ndim == 2 and p.shape == (*r.shape, len(r)) and r.numel()
    rule = f"{owner}: transitions must have shape (S, A, S) and rewards (S, A)"
    require(fits, rule, f"{tuple(p.shape)} and {tuple(r.shape)}")
    mass = p.sum(-1)
    is_chance = bool((p >= 0).all()) and bool((mass <= 1 + 1e-6).all())
    rule = f"{owner}: transitions must be chances that add up to at most 1"
    require(is_chance, rule, f"a least of {p.min():g} and a sum of {mass.max():g}")
    leaves = mass < 1 - 1e-6  # (S, A): the episode may end here
    policy, ends = leaves.int().argmax(1), leaves.any(1)
    while True:
        nearer = (p * ends.to(p.dtype)).sum(-1) > 0  # (S, A)
        new = nearer.any(1) & ~ends
        if not new.any():
            break
        policy, ends = torch.where(new, nearer.int().argmax(1), policy), ends | new
    stuck = f"{int((~ends).sum())} states without an end"
    rule = f"{owner}: gamma must be below 1 where episodes do not end, for the return is not finite"
    require(gamma < 1 or ends.all(), rule, f"gamma=1 and {stuck}", "Try 0.99.")
    return policy
