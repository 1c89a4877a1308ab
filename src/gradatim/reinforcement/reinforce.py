"""REINFORCE: make what led to high returns likelier; a baseline takes most of the noise out."""

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.reinforcement.acting import (
    ActorInfo,
    ActorState,
    Lived,
    actor_policy,
    live,
    start_actor,
)
from gradatim.reinforcement.environment import Environment
from gradatim.reinforcement.ppo import ppo_loss
from gradatim.reinforcement.returns import discounted_returns
from gradatim.reinforcement.tables import Policy


class Episodes(NamedTuple):
    """Steps of whole episodes, one after the other, with what they were worth.

    Args:
        seen: Shape ``(M, D)``.
        actions: Shape ``(M,)`` or ``(M, A)``.
        returns: :math:`G_t`, shape ``(M,)``.
        advantages: :math:`G_t-b(s_t)`, shape ``(M,)``.
    """

    seen: Tensor
    actions: Tensor
    returns: Tensor
    advantages: Tensor


@dataclass(frozen=True)
class Reinforce:
    r"""Williams' policy gradient on whole episodes, with the critic's value as a baseline or without.

    .. math:: -\frac1M\sum_t\bigl(G_t-b(s_t)\bigr)\log\pi(a_t\mid s_t), \qquad G_t=\sum_{k\ge0}\gamma^kr_{t+k}

    The baseline changes no expectation, since :math:`\mathbb E[\nabla\log\pi]=0`, but the variance. It bootstraps nothing:
    an episode that is cut off counts what it paid until then. The critic learns beside it in both cases.

    Args:
        gamma: :math:`\gamma`; 1 only where episodes end.
        has_baseline: Whether the critic's value is taken off.
        lr: The step of learning.
        hidden: Widths of actor and critic.
        num_copies: Episodes of one step.

    Example:
        >>> from gradatim.reinforcement import CartPole, learn
        >>> learned = learn(Reinforce(num_copies=4), CartPole(), steps=100)
        >>> learned.state.steps >= 100
        True

    Reference:
        Williams, Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement Learning, 1992.
    """

    gamma: float = 0.99
    has_baseline: bool = True
    lr: float = 3e-3
    hidden: tuple[int, ...] = (64, 64)
    num_copies: int = 16

    def init(self, environment: Environment, *, seed: int = 0) -> ActorState:
        """Start actor, critic and world."""
        return start_actor("Reinforce", environment, num_copies=self.num_copies, gamma=self.gamma, hidden=self.hidden, lr=self.lr, clip_norm=0.5, seed=seed)  # fmt: skip

    def play(self, state: ActorState) -> tuple[ActorState, Episodes, Lived]:
        """One whole episode of every copy."""
        state, lived = live(state, None)
        before = torch.cat([torch.zeros_like(lived.ended[:1]), lived.ended[:-1]]).cumsum(0)
        first = before == 0  # (T, N): steps of the first episode
        returns = discounted_returns(lived.rewards, lived.ended, self.gamma)[first]
        seen, actions = lived.seen[first], lived.actions[first]
        with torch.no_grad():
            baseline = state.critic(seen).squeeze(1) if self.has_baseline else 0.0
        return state, Episodes(seen, actions, returns, returns - baseline), lived

    def step(self, state: ActorState) -> tuple[ActorState, ActorInfo]:
        """Play an episode in every copy, then take one step."""
        state, played, lived = self.play(state)
        with torch.no_grad():
            old, entropy = state.head.judge(state.actor(played.seen), played.actions)
        loss = partial(
            ppo_loss,
            state.head,
            actions=played.actions,
            old=old,
            advantages=played.advantages / played.returns.std(correction=0).clamp(min=1e-3),
            goal=played.returns,
            clip=None,
        )
        last = state.learner.step(played.seen, loss)
        return state, ActorInfo(lived.returns, float(last), float(entropy.mean()))

    def policy(self, state: ActorState) -> Policy:
        """The likeliest actions."""
        return actor_policy(state)
