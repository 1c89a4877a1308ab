"""REINFORCE: make what led to high returns likelier; a baseline takes most of the noise out."""

from dataclasses import dataclass
from functools import partial

import torch

from gradatim.errors import require_whole
from gradatim.reinforcement.acting import (
    ActorInfo,
    ActorState,
    Lived,
    actor_policy,
    live,
    start_actor,
)
from gradatim.reinforcement.environment import Environment
from gradatim.reinforcement.improving import (
    Batch,
    actor_loss,
    actor_slopes,
    critic_loss,
    critic_slopes,
)
from gradatim.reinforcement.learner import Learner
from gradatim.reinforcement.returns import discounted_returns
from gradatim.reinforcement.tables import Policy

CRITIC_LR = 1e-2


@dataclass(frozen=True)
class Reinforce:
    r"""Williams' policy gradient on whole episodes, with the critic's value as a baseline or without.

    .. math:: -\frac1M\sum_t\bigl(G_t-b(s_t)\bigr)\log\pi(a_t\mid s_t), \qquad G_t=\sum_{k\ge0}\gamma^kr_{t+k}

    The critic takes ``critic_steps`` steps towards the returns after each of the actor's. The baseline changes no expectation, since :math:`\mathbb E[\nabla\log\pi]=0`, but the variance. It bootstraps nothing:
    an episode that is cut off counts what it paid until then.

    Args:
        gamma: :math:`\gamma`; 1 only where episodes end.
        has_baseline: Whether the critic's value is taken off.
        lr: The step of learning.
        critic_steps: Steps of the critic for each of the actor's.
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
    critic_steps: int = 10
    hidden: tuple[int, ...] = (64, 64)
    num_copies: int = 16

    def init(self, environment: Environment, *, seed: int = 0) -> ActorState:
        """Start actor, critic and world."""
        require_whole("Reinforce", critic_steps=self.critic_steps)
        state = start_actor("Reinforce", environment, num_copies=self.num_copies, gamma=self.gamma, hidden=self.hidden, lr=self.lr, clip_norm=None, seed=seed)  # fmt: skip
        learner, tutor = (Learner((n,), lr=lr) for n, lr in ((state.actor, self.lr), (state.critic, CRITIC_LR)))  # fmt: skip
        return state._replace(learner=learner, tutor=tutor)

    @torch.no_grad()
    def play(self, state: ActorState) -> tuple[ActorState, Batch, Lived]:
        """One whole episode of every copy, with returns and what they were above the baseline."""
        state, lived = live(state, None)
        before = torch.cat([torch.zeros_like(lived.ended[:1]), lived.ended[:-1]]).cumsum(0)
        first = before == 0  # (T, N): steps of the first episode
        goal = discounted_returns(lived.rewards, lived.ended, self.gamma)[first]
        seen, actions = lived.seen[first], lived.actions[first]
        baseline = state.critic(seen).squeeze(1) if self.has_baseline else 0.0
        old, _ = state.head.judge(state.actor(seen), actions)
        return state, Batch(seen, actions, old, goal - baseline, goal), lived

    def step(self, state: ActorState) -> tuple[ActorState, ActorInfo]:
        """Play an episode in every copy, then take one step; advantages are told in units of the returns' spread."""
        state, played, lived = self.play(state)
        unit = played.goal.std(correction=0).clamp(min=1e-3)
        told = played._replace(advantages=played.advantages / unit)
        parts = state.head, told, None
        state.learner.step(told.seen, partial(actor_loss, *parts), partial(actor_slopes, *parts))
        assert state.tutor is not None
        for _ in range(self.critic_steps):
            state.tutor.step(told.seen, partial(critic_loss, told), partial(critic_slopes, told))
        return state, ActorInfo(lived.returns, -float(played.old.mean()))

    def policy(self, state: ActorState) -> Policy:
        """The likeliest actions."""
        return actor_policy(state)
