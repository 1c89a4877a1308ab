"""SARSA: learn what actions are worth for one who goes on exploring."""

from dataclasses import dataclass

import torch

from gradatim.reinforcement.environment import Environment
from gradatim.reinforcement.exploration import TENTH, Exploration
from gradatim.reinforcement.tables import (
    Policy,
    TableInfo,
    TableState,
    choose,
    greedy_policy,
    move_tables,
    start_tables,
    td_target,
    values_of,
)


@dataclass(frozen=True)
class SARSA:
    r"""State, action, reward, state, action: the target takes the action that does follow.

    .. math:: Q(s,a)\leftarrow Q(s,a)+\alpha\bigl(r+\gamma\,Q(s',a')-Q(s,a)\bigr)

    It judges the exploring policy itself, so it keeps away from cliffs that Q-learning walks along. It is optimal once
    exploring has faded.

    Args:
        gamma: :math:`\gamma`; 1 only where episodes end.
        lr: :math:`\alpha`; ``None`` takes :math:`1/N(s,a)`.
        exploration: How actions are chosen.
        initial: :math:`Q` at the start.
        num_copies: Learners side by side.

    Example:
        >>> from gradatim.reinforcement import Cliff, learn
        >>> learned = learn(SARSA(gamma=1.0), Cliff(), steps=200)
        >>> learned.state.q.shape
        torch.Size([1, 48, 4])

    Reference:
        Rummery and Niranjan, On-Line Q-Learning Using Connectionist Systems, 1994.
    """

    gamma: float = 0.99
    lr: float | None = 0.5
    exploration: Exploration = TENTH
    initial: float = 0.0
    num_copies: int = 1

    def init(self, environment: Environment, *, seed: int = 0) -> TableState:
        """Start every learner, and decide on its first action."""
        state = start_tables("SARSA", environment, num_copies=self.num_copies, gamma=self.gamma, lr=self.lr, initial=self.initial, seed=seed)  # fmt: skip
        return state._replace(action=choose(state, state.seen, self.exploration))

    def step(self, state: TableState) -> tuple[TableState, TableInfo]:
        """One step of every learner, and the decision on its next."""
        action = state.action
        assert action is not None
        seen, reward, terminated, truncated, info = state.world.step(action)
        ended, final = terminated | truncated, info["final_observation"]
        following = choose(state, final, self.exploration)
        value = values_of(state.q, final).gather(1, following[:, None]).squeeze(1)
        target = td_target(reward, value, terminated, self.gamma)
        error = move_tables(state, action, target, self.lr)
        if ended.any():  # what follows there is the first action of the next episode
            following = torch.where(ended, choose(state, seen, self.exploration), following)
        state = state._replace(seen=seen, action=following, steps=state.steps + 1)
        return state, TableInfo(action, reward, ended, error)

    def policy(self, state: TableState) -> Policy:
        """The best actions that are known."""
        return greedy_policy(state)
