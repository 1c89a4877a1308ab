"""Monte Carlo control: learn from whole episodes, by what really followed."""

from dataclasses import dataclass

import torch
from torch import Tensor

from gradatim.errors import InvalidValue, require
from gradatim.reinforcement.environment import Environment
from gradatim.reinforcement.exploration import TENTH, EpsilonGreedy, Exploration
from gradatim.reinforcement.returns import discounted_returns
from gradatim.reinforcement.tables import (
    Policy,
    TableInfo,
    TableState,
    choose,
    greedy_policy,
    start_tables,
    values_of,
)

ANYTHING = EpsilonGreedy(1.0)


@dataclass(frozen=True)
class MonteCarlo:
    r"""The value of an action is the mean of the returns that followed it, every visit counted.

    .. math:: Q(s,a)\leftarrow Q(s,a)+\alpha\,(G_t-Q(s,a)), \qquad G_t=\sum_{k\ge0}\gamma^k r_{t+k}

    Nothing is guessed from other guesses, but nothing is learned before an episode ends either: a world without an end is
    refused. Only where a time limit cuts an episode off, what follows counts as the best action of its last state; as nothing it
    would make the last steps before the limit look best of all where every step costs. Several visits to one entry in an episode
    move it as if they came one after the other with their mean return.

    A policy that explores is worth less than the best one, and means remember returns of policies long gone. With
    ``exploring_starts`` only the first action of an episode is drawn, so that the rest may be greedy; in a world without chance
    ``lr=1`` then makes every episode an exact look at the policy as it is, and learning is policy iteration.

    Args:
        gamma: :math:`\gamma`.
        lr: :math:`\alpha`; ``None`` takes the mean of all returns.
        exploration: How actions are chosen.
        initial: :math:`Q` at the start.
        num_copies: Learners side by side.
        max_steps: Longest episode.
        exploring_starts: Whether the first action of every episode is drawn from all alike; the world should start anywhere.

    Example:
        >>> from gradatim.reinforcement import Maze, learn
        >>> learned = learn(MonteCarlo(gamma=0.9), Maze("S.#\n..G"), steps=300)
        >>> learned.state.steps >= 300
        True

    Reference:
        Sutton and Barto, Reinforcement Learning, 2018, sections 5.3 and 5.4.
    """

    gamma: float = 0.99
    lr: float | None = None
    exploration: Exploration = TENTH
    initial: float = 0.0
    num_copies: int = 1
    max_steps: int = 100_000
    exploring_starts: bool = False

    def init(self, environment: Environment, *, seed: int = 0) -> TableState:
        """Start every learner."""
        has_end = getattr(environment, "has_end", True)
        require(has_end, "MonteCarlo: environment must have episodes that end", "one that never ends")  # fmt: skip
        return start_tables("MonteCarlo", environment, num_copies=self.num_copies, gamma=self.gamma, lr=self.lr, initial=self.initial, seed=seed)  # fmt: skip

    def step(self, state: TableState) -> tuple[TableState, TableInfo]:
        """One episode of every learner."""
        over = torch.zeros(self.num_copies, dtype=torch.bool)
        seen, played = state.seen, list[tuple[Tensor, ...]]()
        while not over.all():
            is_drawn = self.exploring_starts and not played
            action = choose(state, seen, ANYTHING if is_drawn else self.exploration)
            after, reward, terminated, truncated, info = state.world.step(action)
            cut = (truncated & ~terminated) * values_of(state.q, info["final_observation"]).amax(1)
            played.append((seen, action, reward * ~over, ~over, terminated | truncated, cut))
            seen, over = after, over | terminated | truncated
            if len(played) > self.max_steps:
                raise InvalidValue(f"MonteCarlo: max_steps must suffice for an episode, got {self.max_steps}. Try more exploration.")  # fmt: skip
        cells, actions, rewards, alive, ended, cut = map(
            torch.stack, zip(*played, strict=True)
        )  # (T, K)
        returns = discounted_returns(rewards, ended, self.gamma, following=cut)
        q, counts, error = self._move(state, cells, actions, returns, alive)
        seen, _ = state.world.reset()
        state = state._replace(q=q, counts=counts, seen=seen, steps=state.steps + len(played))
        return state, TableInfo(actions[0], rewards.sum(0), over, error)

    def _move(
        self, state: TableState, cells: Tensor, actions: Tensor, returns: Tensor, alive: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Move every entry that was visited towards the mean of its returns."""
        rows = torch.arange(self.num_copies).expand_as(cells)
        place = (rows[alive], cells[alive], actions[alive])
        visits, total = torch.zeros_like(state.q), torch.zeros_like(state.q)
        visits.index_put_(place, torch.ones(()), accumulate=True)
        total.index_put_(place, returns[alive], accumulate=True)
        counts, error = state.counts + visits, total / visits.clamp(min=1) - state.q
        rate = visits / counts.clamp(min=1) if self.lr is None else 1 - (1 - self.lr) ** visits
        return state.q + rate * error, counts, (error * (visits > 0)).abs().amax((1, 2))

    def policy(self, state: TableState) -> Policy:
        """The best actions that are known."""
        return greedy_policy(state)
