"""Q-learning: learn what the best actions are worth, whatever is done meanwhile."""

from dataclasses import dataclass

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
class QLearning:
    r"""Watkins' rule: the target takes the best action that could follow, not the one that does.

    .. math:: Q(s,a)\leftarrow Q(s,a)+\alpha\bigl(r+\gamma\max_{a'}Q(s',a')-Q(s,a)\bigr)

    ``num_copies`` learners stand side by side, each with its own world, table and draws. With :math:`\gamma=1` the return is
    finite only where episodes end.

    Args:
        gamma: :math:`\gamma`.
        lr: :math:`\alpha`; ``None`` takes :math:`1/N(s,a)`, the mean of all targets.
        exploration: How actions are chosen.
        initial: :math:`Q` at the start; above all that can be had, it makes a greedy learner try everything.
        num_copies: Learners.

    Example:
        >>> from gradatim.reinforcement import Maze, learn
        >>> learned = learn(QLearning(gamma=0.9, num_copies=5), Maze("S.#\n..G"), steps=300)
        >>> print(learned.world.show(policy=learned.policy_table[0])[-1])
        G

    Reference:
        Watkins and Dayan, Q-Learning, 1992.
    """

    gamma: float = 0.99
    lr: float | None = 0.5
    exploration: Exploration = TENTH
    initial: float = 0.0
    num_copies: int = 1

    def init(self, environment: Environment, *, seed: int = 0) -> TableState:
        """Start every learner."""
        return start_tables("QLearning", environment, num_copies=self.num_copies, gamma=self.gamma, lr=self.lr, initial=self.initial, seed=seed)  # fmt: skip

    def step(self, state: TableState) -> tuple[TableState, TableInfo]:
        """One step of every learner."""
        action = choose(state, state.seen, self.exploration)
        seen, reward, terminated, truncated, info = state.world.step(action)
        best = values_of(state.q, info["final_observation"]).amax(1)
        target = td_target(reward, best, terminated, self.gamma)
        error = move_tables(state, action, target, self.lr)
        state = state._replace(seen=seen, steps=state.steps + 1)
        return state, TableInfo(action, reward, terminated | truncated, error)

    def policy(self, state: TableState) -> Policy:
        """The best actions that are known."""
        return greedy_policy(state)
