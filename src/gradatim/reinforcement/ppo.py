"""Proximal policy optimization: use what was lived through several times, but never go far."""

from dataclasses import dataclass

import torch

from gradatim.errors import require, require_whole
from gradatim.reinforcement.acting import ActorInfo, ActorState, actor_policy, live, start_actor
from gradatim.reinforcement.environment import Environment
from gradatim.reinforcement.improving import Batch, improve, judge, standardized
from gradatim.reinforcement.tables import Policy


@dataclass(frozen=True)
class PPO:
    r"""Clipped policy gradient on advantages of :math:`\lambda`, several epochs on every rollout.

    .. math:: -\frac1B\sum_i\min\bigl(\rho_iA_i,\operatorname{clamp}(\rho_i,1-\epsilon,1+\epsilon)A_i\bigr)
        +\tfrac12\bigl(V(s_i)-\hat G_i\bigr)^2, \qquad \hat G = A+V_{\mathrm{old}}

    Advantages are :func:`~gradatim.reinforcement.generalized_advantages`, scaled to mean 0 and variance 1 in every batch; a
    truncated episode counts the value of its last state, a terminated one does not. Learning rate and clip fall in a line to
    0 over ``decay_steps``. With :math:`\gamma=1` returns are finite only where episodes end.

    Args:
        gamma: :math:`\gamma`.
        lam: :math:`\lambda`.
        clip: :math:`\epsilon`.
        lr: The step of learning.
        rollout: Steps of every copy between two updates.
        epochs: Passes over a rollout.
        batch_size: Rows of a step.
        hidden: Widths of actor and critic.
        decay_steps: Steps in the world after which nothing moves any more; ``None`` for a constant rate.
        num_copies: Copies of the world.

    Example:
        >>> from gradatim.reinforcement import CartPole, learn
        >>> learned = learn(PPO(num_copies=16, epochs=2), CartPole(), steps=512)
        >>> learned.policy(torch.zeros(3, 4)).shape
        torch.Size([3])

    Reference:
        Schulman et al., Proximal Policy Optimization Algorithms, 2017.
    """

    gamma: float = 0.98
    lam: float = 0.8
    clip: float = 0.2
    lr: float = 2e-3
    rollout: int = 32
    epochs: int = 10
    batch_size: int = 512
    hidden: tuple[int, ...] = (64, 64)
    decay_steps: int | None = None
    num_copies: int = 64

    def init(self, environment: Environment, *, seed: int = 0) -> ActorState:
        """Start actor, critic and world."""
        require_whole("PPO", rollout=self.rollout, epochs=self.epochs, batch_size=self.batch_size)
        require(0 <= self.lam <= 1, "PPO: lam must be in [0, 1]", self.lam, "Try 0.95.")
        require(0 < self.clip < 1, "PPO: clip must be in (0, 1)", self.clip, "Try 0.2.")
        return start_actor("PPO", environment, num_copies=self.num_copies, gamma=self.gamma, hidden=self.hidden, lr=self.lr, clip_norm=0.5, seed=seed)  # fmt: skip

    def step(self, state: ActorState) -> tuple[ActorState, ActorInfo]:
        """Act for a while, then learn from it for some epochs."""
        share = 1.0 if self.decay_steps is None else max(1 - state.steps / self.decay_steps, 1e-6)
        state, lived = live(state, self.rollout)
        batch, entropy = judge(state, lived, gamma=self.gamma, lam=self.lam)
        for _ in range(self.epochs):
            order = torch.randperm(len(batch.seen), generator=state.generator)
            shuffled = (part[order].split(self.batch_size) for part in batch)
            for rows in map(Batch._make, zip(*shuffled, strict=True)):
                rows = rows._replace(advantages=standardized(rows.advantages))
                improve(state, rows, clip=share * self.clip, share=share)
        return state, ActorInfo(lived.returns, entropy)

    def policy(self, state: ActorState) -> Policy:
        """The likeliest actions."""
        return actor_policy(state)
