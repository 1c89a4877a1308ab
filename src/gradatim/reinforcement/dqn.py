"""Deep Q-networks: Q-learning with a network, a memory of steps and a target that stays put."""

from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.reinforcement.environment import Environment, require_environment, require_gamma
from gradatim.reinforcement.exploration import EpsilonGreedy
from gradatim.reinforcement.learner import Learner
from gradatim.reinforcement.replay import Replay, Step
from gradatim.reinforcement.spaces import encode, require_discrete
from gradatim.reinforcement.tables import EXPLORATION_STREAM, Policy, td_target

FADING = EpsilonGreedy(1.0, 0.04, 8_000)


class DQNState(NamedTuple):
    """Where a Q-network stands; networks, memory and world change in place.

    Args:
        network: From observations to what each action is worth.
        target: The network as it was, which targets are taken from.
        learner: Moves the network.
        memory: The last steps.
        world: The copies, in the middle of their episodes.
        seen: What they show, shape ``(N, D)``.
        score: Rewards of the episodes that are under way, shape ``(N,)``.
        steps: Steps of all copies together.
        generator: Source of randomness of actions and batches.
    """

    network: nn.Module
    target: nn.Module
    learner: Learner
    memory: Replay
    world: Environment
    seen: Tensor
    score: Tensor
    steps: int
    generator: torch.Generator


class DQNInfo(NamedTuple):
    """What a step saw.

    Args:
        returns: Of the training episodes that ended meanwhile.
        eps: Share of actions drawn evenly.
    """

    returns: Tensor
    eps: float


@takes_arrays
def double_q_value(online: Tensor, target: Tensor) -> Tensor:
    r"""What the action that one network prefers is worth to the other.

    .. math:: \bar Q\bigl(s',\arg\max_a Q(s',a)\bigr)

    The maximum of noisy values is too high on average; choosing and judging with two networks mends most of that.

    Args:
        online: :math:`Q(s',\cdot)`, shape ``(N, A)``.
        target: :math:`\bar Q(s',\cdot)`, shape ``(N, A)``.

    Example:
        >>> double_q_value(torch.tensor([[1.0, 3.0]]), torch.tensor([[5.0, 2.0]]))
        tensor([2.])

    Reference:
        van Hasselt, Guez and Silver, Deep Reinforcement Learning with Double Q-Learning, 2016.
    """
    return target.gather(1, online.argmax(1, keepdim=True)).squeeze(1)


def chosen_loss(actions: Tensor, goal: Tensor, q: Tensor) -> Tensor:
    """Huber's loss of the actions that were done."""
    return F.smooth_l1_loss(q.gather(1, actions[:, None]).squeeze(1), goal)


def chosen_slopes(actions: Tensor, goal: Tensor, q: Tensor) -> tuple[Tensor]:
    """The derivative of :func:`chosen_loss`."""
    place = actions[:, None]
    gap = (q.gather(1, place) - goal[:, None]).clamp_(-1, 1).div_(len(q))
    return (torch.zeros_like(q).scatter_(1, place, gap),)


@dataclass(frozen=True)
class DQN:
    r"""Q-learning with a network, on batches from a memory.

    .. math:: Q(s,a)\to r+\gamma\,(1-d)\,\bar Q\bigl(s',\arg\max_{a'}Q(s',a')\bigr)

    :math:`\bar Q` is the network of some updates ago. A truncated episode counts what would have followed, a terminated one
    does not. With :math:`\gamma=1` returns are finite only where episodes end.

    Args:
        gamma: :math:`\gamma`.
        lr: The step of learning.
        exploration: How actions are chosen; its steps are those of all copies together.
        capacity: Steps that are kept.
        batch_size: Rows of an update.
        updates: Updates after every step of the copies.
        target_every: Updates after which the target follows.
        is_double: Whether the network chooses and the target judges; otherwise the target does both.
        hidden: Widths of the network.
        num_copies: Copies of the world.

    Example:
        >>> from gradatim.reinforcement import CartPole, learn
        >>> learned = learn(DQN(), CartPole(), steps=1_200)
        >>> learned.policy(torch.zeros(3, 4)).shape
        torch.Size([3])

    Reference:
        Mnih et al., Human-Level Control Through Deep Reinforcement Learning, 2015.
    """

    gamma: float = 0.99
    lr: float = 2.3e-3
    exploration: EpsilonGreedy = FADING
    capacity: int = 50_000
    batch_size: int = 64
    updates: int = 8
    target_every: int = 128
    is_double: bool = True
    hidden: tuple[int, ...] = (128, 128)
    num_copies: int = 16

    def init(self, environment: Environment, *, seed: int = 0) -> DQNState:
        """Start network, memory and world."""
        require_environment("DQN", environment)
        require_gamma("DQN", self.gamma, has_end=environment.has_end)
        require_whole("DQN", num_copies=self.num_copies, capacity=self.capacity, batch_size=self.batch_size, updates=self.updates, target_every=self.target_every)  # fmt: skip
        require(self.lr > 0, "DQN: lr must be more than 0", self.lr, "Try 0.001.")
        actions = require_discrete("DQN", "action space", environment.action_space)
        with seeded(seed):
            network = MLP((environment.observation_space.width, *self.hidden, actions))
        world = environment.copies(self.num_copies)
        seen, _ = world.reset(seed=seed)
        learner = Learner((network,), lr=self.lr, clip_norm=10.0)
        generator = torch.Generator().manual_seed(seed + EXPLORATION_STREAM)
        seen = encode(world.observation_space, seen)
        return DQNState(network, deepcopy(network), learner, Replay(self.capacity), world, seen, torch.zeros(len(seen)), 0, generator)  # fmt: skip

    def step(self, state: DQNState) -> tuple[DQNState, DQNInfo]:
        """One step of every copy, and some updates once the memory holds a few batches."""
        with torch.no_grad():
            q = state.network(state.seen)
        action = self.exploration.choose(q, torch.ones_like(q), state.steps, state.generator)
        after, reward, terminated, truncated, info = state.world.step(action)
        space, ended, score = state.world.observation_space, terminated | truncated, state.score + reward  # fmt: skip
        state.memory.add(Step(state.seen, action, reward, terminated, encode(space, info["final_observation"])))  # fmt: skip
        if len(state.memory) >= 8 * self.batch_size:
            self._learn(state)
        following = state._replace(seen=encode(space, after), score=score * ~ended, steps=state.steps + self.num_copies)  # fmt: skip
        return following, DQNInfo(score[ended], float(self.exploration.at(state.steps)))

    def _learn(self, state: DQNState) -> None:
        done = state.steps // self.num_copies * self.updates
        for k in range(done, done + self.updates):
            if k % self.target_every == 0:
                state.target.load_state_dict(state.network.state_dict())
            drawn = state.memory.draw(self.batch_size, state.generator)
            with torch.no_grad():
                target = state.target(drawn.final)
                online = state.network(drawn.final) if self.is_double else target
                goal = td_target(drawn.reward, double_q_value(online, target), drawn.terminated, self.gamma)  # fmt: skip
            parts = drawn.action, goal
            state.learner.step(drawn.seen, partial(chosen_loss, *parts), partial(chosen_slopes, *parts))  # fmt: skip

    def policy(self, state: DQNState) -> Policy:
        """The actions that are worth most."""
        space = state.world.observation_space
        return lambda seen: state.network(encode(space, seen)).argmax(1)
