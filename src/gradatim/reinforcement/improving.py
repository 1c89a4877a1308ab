"""One step of policy gradient: a batch of what was done, a loss, and its derivative by hand."""

from functools import partial
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.losses import policy_loss
from gradatim.reinforcement.acting import ActorState, Lived
from gradatim.reinforcement.action_heads import Head
from gradatim.reinforcement.returns import generalized_advantages


class Batch(NamedTuple):
    """What was done, a row for each step.

    Args:
        seen: Shape ``(B, D)``.
        actions: Shape ``(B,)`` or ``(B, A)``.
        old: :math:`\\log\\pi_{\\mathrm{old}}(a)`, shape ``(B,)``.
        advantages: :math:`A`, shape ``(B,)``.
        goal: What the critic should say, shape ``(B,)``.
    """

    seen: Tensor
    actions: Tensor
    old: Tensor
    advantages: Tensor
    goal: Tensor


@torch.no_grad()
def judge(state: ActorState, lived: Lived, *, gamma: float, lam: float) -> tuple[Batch, float]:
    """Advantages of what was done and the returns that the critic should have expected; and the entropy, in nats."""
    shape, seen = lived.rewards.shape, lived.seen.flatten(0, 1)
    values = state.critic(seen).view(shape)
    following = state.critic(lived.final.flatten(0, 1)).view(shape)
    advantages = generalized_advantages(lived.rewards, values, following, lived.terminated, lived.ended, gamma=gamma, lam=lam)  # fmt: skip
    actions = lived.actions.flatten(0, 1)
    old, entropy = state.head.judge(state.actor(seen), actions)
    goal = (advantages + values).flatten()
    return Batch(seen, actions, old, advantages.flatten(), goal), float(entropy.mean())


def improve(state: ActorState, batch: Batch, *, clip: float | None, share: float = 1.0) -> None:
    """Move actor and critic by one step."""
    loss = partial(actor_critic_loss, state.head, batch, clip)
    slopes = partial(actor_critic_slopes, state.head, batch, clip)
    state.learner.step(batch.seen, loss, slopes, share=share)


def actor_loss(head: Head, batch: Batch, clip: float | None, outputs: Tensor) -> Tensor:
    """:func:`~gradatim.losses.policy_loss` of what was done."""
    now, _ = head.judge(outputs, batch.actions)
    return policy_loss(now[:, None], batch.old[:, None], batch.advantages, clip=clip)


def actor_slopes(head: Head, batch: Batch, clip: float | None, outputs: Tensor) -> tuple[Tensor]:
    """The derivative of :func:`actor_loss`."""
    now, pull = head.pull(outputs, batch.actions)
    weight = policy_slope(now, batch.old, batch.advantages, clip=clip)
    return (pull.mul_(weight.unsqueeze(1)),)


def critic_loss(batch: Batch, values: Tensor) -> Tensor:
    """Half the squared error of the critic."""
    return 0.5 * F.mse_loss(values.squeeze(1), batch.goal)


def critic_slopes(batch: Batch, values: Tensor) -> tuple[Tensor]:
    """The derivative of :func:`critic_loss`."""
    return (values.sub(batch.goal.unsqueeze(1)).div_(len(values)),)


def actor_critic_loss(head: Head, batch: Batch, clip: float | None, outputs: Tensor, values: Tensor) -> Tensor:  # fmt: skip
    """Both losses, added up."""
    return actor_loss(head, batch, clip, outputs) + critic_loss(batch, values)


def actor_critic_slopes(head: Head, batch: Batch, clip: float | None, outputs: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The derivative of :func:`actor_critic_loss` by outputs and values."""
    return (*actor_slopes(head, batch, clip, outputs), *critic_slopes(batch, values))


@takes_arrays
def policy_slope(log_probs: Tensor, old_log_probs: Tensor, advantages: Tensor, *, clip: float | None = None) -> Tensor:  # fmt: skip
    r"""The derivative of :func:`~gradatim.losses.policy_loss` by the log-probability of each action.

    .. math:: -\frac1B\,\rho_iA_i\,[\text{unless }A_i>0,\rho_i>1+\epsilon\text{ or }A_i<0,\rho_i<1-\epsilon]

    Args:
        log_probs: :math:`\log\pi(a_i)`, shape ``(B,)``.
        old_log_probs: :math:`\log\pi_{\mathrm{old}}(a_i)`, shape ``(B,)``.
        advantages: :math:`A_i`, shape ``(B,)``.
        clip: :math:`\epsilon`; ``None`` clips nothing.

    Example:
        >>> zero = torch.zeros(2)
        >>> policy_slope(zero, zero, torch.tensor([3.0, -1.0]))
        tensor([-1.5000,  0.5000])
    """
    ratio = (log_probs - old_log_probs).exp_()
    slope = ratio * advantages
    if clip is not None:
        slope = torch.where(slope <= ratio.clamp_(1 - clip, 1 + clip) * advantages, slope, 0.0)
    return slope.div_(-len(slope))


def standardized(values: Tensor) -> Tensor:
    """Values with mean 0 and variance 1."""
    spread, mean = torch.std_mean(values, correction=0)
    return (values - mean) / (spread + 1e-8)
