"""What tabular learners share: a value for every state and action, several learners side by side."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import require, require_whole
from gradatim.reinforcement.environment import Environment, require_environment, require_gamma
from gradatim.reinforcement.exploration import Exploration
from gradatim.reinforcement.spaces import require_discrete

Policy = Callable[[Tensor], Tensor]
EXPLORATION_STREAM = 1 << 32  # added to a seed: actions are not drawn from the numbers of the world


class TableState(NamedTuple):
    """Where tabular learners stand; K of them side by side, each with a copy of the world and a table of its own.

    Args:
        q: What actions are thought to be worth, shape ``(K, S, A)``.
        counts: How often each was tried, shape ``(K, S, A)``.
        world: The copies, in the middle of their episodes.
        seen: States they are in, shape ``(K,)``.
        action: What comes next, where that is decided already, shape ``(K,)``.
        steps: Steps that each has made.
        generator: Source of randomness of the actions.
    """

    q: Tensor
    counts: Tensor
    world: Environment
    seen: Tensor
    action: Tensor | None
    steps: int
    generator: torch.Generator


class TableInfo(NamedTuple):
    """What happened in a step of each learner, shape ``(K,)`` each.

    Args:
        action: What was done.
        reward: What it paid, of a whole episode its sum.
        ended: Whether an episode ended.
        error: How far the value was from its target.
    """

    action: Tensor
    reward: Tensor
    ended: Tensor
    error: Tensor


def start_tables(
    owner: str,
    environment: Environment,
    *,
    num_copies: int,
    gamma: float,
    lr: float | None,
    initial: float,
    seed: int,
) -> TableState:
    """Tables of equal entries, and copies of the world at their start."""
    require_environment(owner, environment)
    require_whole(owner, num_copies=num_copies)
    require_gamma(owner, gamma, has_end=environment.has_end)
    is_rate = lr is None or 0 < lr <= 1
    require(is_rate, f"{owner}: lr must be in (0, 1], or None for means", lr, "Try 0.5.")
    states = require_discrete(owner, "observation space", environment.observation_space)
    actions = require_discrete(owner, "action space", environment.action_space)
    world = environment.copies(num_copies)
    seen, _ = world.reset(seed=seed)
    q = torch.full((num_copies, states, actions), float(initial))
    generator = torch.Generator().manual_seed(seed + EXPLORATION_STREAM)
    return TableState(q, torch.zeros_like(q), world, seen, None, 0, generator)


def values_of(table: Tensor, seen: Tensor) -> Tensor:
    """The row of each learner for the state it is in, shape ``(K, A)``."""
    num_learners, num_states, num_actions = table.shape
    place = torch.arange(0, num_learners * num_states, num_states) + seen
    return table.view(-1, num_actions).index_select(0, place)


def choose(state: TableState, seen: Tensor, exploration: Exploration) -> Tensor:
    """An action of each learner for what it sees."""
    values, counts = values_of(state.q, seen), values_of(state.counts, seen)
    return exploration.choose(values, counts, state.steps, state.generator)


def td_target(reward: Tensor, following: Tensor, terminated: Tensor, gamma: float) -> Tensor:
    r"""What a step was worth: its reward, and what follows unless the task is over.

    .. math:: r + \gamma\,(1-d)\,v'

    A truncated episode goes on elsewhere: it counts what would have followed.

    Args:
        reward: :math:`r`, shape ``(N,)``.
        following: :math:`v'`, the value of what comes next, shape ``(N,)``.
        terminated: :math:`d`, whether the task is over, shape ``(N,)``.
        gamma: :math:`\\gamma`.
    """
    return reward + gamma * following * ~terminated


def move_tables(state: TableState, action: Tensor, target: Tensor, lr: float | None) -> Tensor:
    r"""Move entries towards targets, in place: :math:`Q\leftarrow Q+\alpha(y-Q)`; without ``lr`` to the means of all targets.

    Returns:
        :math:`y-Q`, shape ``(K,)``.
    """
    num_learners, num_states, num_actions = state.q.shape
    rows = torch.arange(0, num_learners * num_states, num_states) + state.seen
    place = rows * num_actions + action
    q, counts = state.q.view(-1), state.counts.view(-1)
    counts.index_add_(0, place, torch.ones_like(target))
    error = target - q[place]
    q.index_add_(0, place, error / counts[place] if lr is None else lr * error)
    return error


def greedy_policy(state: TableState) -> Policy:
    """The best action of each learner for the state it sees."""
    best = state.q.argmax(2)  # (K, S)
    rows = torch.arange(len(best))
    return lambda seen: best[rows, seen]
