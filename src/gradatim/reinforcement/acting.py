"""What policy-gradient methods share: an actor, a critic, and what the actor lived through."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from gradatim.errors import require, require_whole
from gradatim.models import MLP
from gradatim.randomness import seeded
from gradatim.reinforcement.action_heads import Head, head_of
from gradatim.reinforcement.environment import Environment, require_environment, require_gamma
from gradatim.reinforcement.learner import Learner
from gradatim.reinforcement.spaces import clip, encode
from gradatim.reinforcement.tables import EXPLORATION_STREAM, Policy


class ActorState(NamedTuple):
    """Where an actor and its critic stand; networks and world move in place.

    Args:
        actor: From observations to what :class:`Head` reads.
        critic: From observations to their value.
        head: How the actor's outputs are read.
        learner: Moves both networks, or the actor alone where the critic has a tutor.
        world: The copies, in the middle of their episodes.
        seen: What they show, as the networks take it, shape ``(N, D)``.
        score: Rewards of the episodes that are under way, shape ``(N,)``.
        steps: Steps of all copies together.
        generator: Source of randomness of actions and batches.
        tutor: Moves the critic, where it takes more steps than the actor.
    """

    actor: nn.Module
    critic: nn.Module
    head: Head
    learner: Learner
    world: Environment
    seen: Tensor
    score: Tensor
    steps: int
    generator: torch.Generator
    tutor: Learner | None = None


class ActorInfo(NamedTuple):
    """What an update saw.

    Args:
        returns: Of the training episodes that ended meanwhile.
        entropy: How open the choice of actions was, in nats.
    """

    returns: Tensor
    entropy: float


class Lived(NamedTuple):
    """Steps that an actor made, time first.

    Args:
        seen: What was seen before each, shape ``(T, N, D)``.
        actions: What was done, shape ``(T, N)`` or ``(T, N, A)``.
        rewards: What it paid, shape ``(T, N)``.
        terminated: Whether the task was over, shape ``(T, N)``.
        ended: Whether the episode ended in any way, shape ``(T, N)``.
        final: What was seen after each, before any new start, shape ``(T, N, D)``.
        returns: Of the episodes that ended.
    """

    seen: Tensor
    actions: Tensor
    rewards: Tensor
    terminated: Tensor
    ended: Tensor
    final: Tensor
    returns: Tensor


def start_actor(
    owner: str,
    environment: Environment,
    *,
    num_copies: int,
    gamma: float,
    hidden: Sequence[int],
    lr: float,
    clip_norm: float | None,
    seed: int,
) -> ActorState:
    """Networks of their own for actor and critic, tanh between, the actor's last layer small: it starts undecided."""
    require_environment(owner, environment)
    require_gamma(owner, gamma, has_end=environment.has_end)
    require_whole(owner, num_copies=num_copies)
    require(lr > 0, f"{owner}: lr must be more than 0", lr, "Try 0.001.")
    head, width = head_of(environment.action_space), environment.observation_space.width
    with seeded(seed):
        actor = MLP((width, *hidden, head.width), activation="tanh")
        critic = MLP((width, *hidden, 1), activation="tanh")
    with torch.no_grad():
        list(actor.parameters())[-2].mul_(0.01)
    world = environment.copies(num_copies)
    seen, _ = world.reset(seed=seed)
    learner = Learner((actor, critic), lr=lr, clip_norm=clip_norm)
    generator = torch.Generator().manual_seed(seed + EXPLORATION_STREAM)
    seen = encode(world.observation_space, seen)
    return ActorState(actor, critic, head, learner, world, seen, torch.zeros(num_copies), 0, generator)  # fmt: skip


@torch.no_grad()
def live(state: ActorState, steps: int | None) -> tuple[ActorState, Lived]:
    """Let the actor act for so many steps, or until the first episode of every copy has ended."""
    world, seen, score = state.world, state.seen, state.score.clone()
    done = torch.zeros(len(seen), dtype=torch.bool)
    rows, returns = list[tuple[Tensor, ...]](), [score[:0]]
    while len(rows) != steps and not (steps is None and done.all()):
        action = state.head.draw(state.actor(seen), state.generator)
        after, reward, terminated, truncated, info = world.step(clip(world.action_space, action))
        ended, final = terminated | truncated, encode(world.observation_space, info["final_observation"])  # fmt: skip
        rows.append((seen, action, reward, terminated, ended, final))
        seen, score, done = encode(world.observation_space, after), score + reward, done | ended
        if ended.any():
            returns.append(score[ended])
            score = score * ~ended
    columns = [torch.stack(part) for part in zip(*rows, strict=True)]
    lived = Lived(*columns, torch.cat(returns))  # type: ignore[call-arg]
    count = state.steps + lived.rewards.numel()
    return state._replace(seen=seen, score=score, steps=count), lived


def actor_policy(state: ActorState) -> Policy:
    """The likeliest actions."""
    space, sight = state.world.action_space, state.world.observation_space

    def policy(seen: Tensor) -> Tensor:
        return clip(space, state.head.best(state.actor(encode(sight, seen))))

    return policy
