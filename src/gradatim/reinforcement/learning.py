"""Let an algorithm learn in a world, and judge it apart from what it learns from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import torch
from torch import Tensor

from gradatim.errors import require_seed, require_whole
from gradatim.reinforcement.environment import Environment, require_environment
from gradatim.reinforcement.tables import Policy

JUDGES = 7_919  # added to a seed: evaluation episodes are not those of training


class Algorithm(Protocol):
    """What learns: a start, a step, and the policy that a state stands for."""

    @property
    def num_copies(self) -> int: ...

    def init(self, environment: Environment, *, seed: int = 0) -> Any: ...

    def step(self, state: Any) -> tuple[Any, Any]: ...

    def policy(self, state: Any) -> Policy: ...


class Point(NamedTuple):
    """A point of a learning curve.

    Args:
        steps: Steps in the world so far, of all copies together; of learners that stand side by side, of each.
        returns: Returns of evaluation episodes, by the best actions known, shape ``(episodes,)``.
    """

    steps: int
    returns: Tensor


@dataclass(frozen=True)
class Learned:
    """What came out of learning.

    Args:
        algorithm: What learned.
        world: Where, without copies.
        state: Where it stands.
        curve: Evaluations on the way, and one at the end.
    """

    algorithm: Algorithm
    world: Environment
    state: Any
    curve: list[Point]

    @property
    def policy(self) -> Policy:
        """The best actions that are known, for rows of observations."""
        return self.algorithm.policy(self.state)

    @property
    def policy_table(self) -> Tensor:
        """Of tabular learners: the best action of each in every state, shape ``(K, S)``."""
        return self.state.q.argmax(2)


@torch.no_grad()
def evaluate(
    policy: Policy,
    environment: Environment,
    *,
    episodes: int = 100,
    gamma: float = 1.0,
    max_steps: int = 10_000,
    seed: int = 0,
) -> Tensor:
    """Returns of episodes, one in each copy of the world, all side by side.

    Args:
        policy: From rows of observations to actions.
        environment: The world.
        episodes: How many; learners that stand side by side have one each.
        gamma: Worth of a reward one step later; 1 adds them up as they are.
        max_steps: Longest episode: what comes later is not counted.
        seed: Of the world's draws.

    Returns:
        Shape ``(episodes,)``.

    Example:
        >>> from gradatim.reinforcement import CartPole
        >>> evaluate(lambda seen: (seen[:, 2] + seen[:, 3] > 0).long(), CartPole(), episodes=3)
        tensor([500., 500., 500.])
    """
    require_environment("evaluate", environment)
    require_whole("evaluate", episodes=episodes, max_steps=max_steps)
    require_seed("evaluate", seed)
    world = environment.copies(episodes)
    seen, _ = world.reset(seed=seed)
    total, worth = torch.zeros(episodes), 1.0
    alive = torch.ones(episodes, dtype=torch.bool)
    for _ in range(max_steps):
        seen, reward, terminated, truncated, _ = world.step(policy(seen))
        total += worth * reward * alive
        alive &= ~(terminated | truncated)
        worth *= gamma
        if not alive.any():
            break
    return total


def learn(
    algorithm: Algorithm,
    environment: Environment,
    *,
    steps: int,
    evaluations: int = 1,
    episodes: int = 20,
    max_steps: int = 1_000,
    seed: int = 0,
    watch: Callable[[Any, Any], None] | None = None,
) -> Learned:
    """Learn for so many steps in the world, and be judged on the way in episodes that nothing is learned from.

    Args:
        algorithm: Such as ``QLearning()`` or ``PPO()``.
        environment: The world.
        steps: Steps in the world, at least: the last update is finished. Of learners side by side, the steps of each.
        evaluations: Times that the best known actions are judged, evenly over the steps; the last is at the end.
        episodes: Evaluation episodes each time; learners side by side have one each.
        max_steps: Longest evaluation episode.
        seed: Of all draws.
        watch: Told the state and what happened after every step of the algorithm.

    Example:
        >>> from gradatim.reinforcement import QLearning, WindyGrid
        >>> learned = learn(QLearning(gamma=1.0, num_copies=3), WindyGrid(), steps=200, evaluations=2)
        >>> [(point.steps, len(point.returns)) for point in learned.curve]
        [(100, 3), (200, 3)]
    """
    require_environment("learn", environment)
    require_whole("learn", steps=steps, evaluations=evaluations, episodes=episodes)
    require_seed("learn", seed)
    state, curve = algorithm.init(environment, seed=seed), list[Point]()
    is_table = hasattr(state, "q")
    count = algorithm.num_copies if is_table else episodes
    while state.steps < steps:
        state, info = algorithm.step(state)
        if watch is not None:
            watch(state, info)
        if state.steps * evaluations >= steps * (len(curve) + 1):
            policy = algorithm.policy(state)
            found = evaluate(policy, environment, episodes=count, max_steps=max_steps, seed=(seed + JUDGES) % 2**32)  # fmt: skip
            curve.append(Point(state.steps, found))
    return Learned(algorithm, environment, state, curve)
