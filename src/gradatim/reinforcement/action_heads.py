"""What the outputs of a network say about actions: chances of several, or a bell curve over numbers."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.reinforcement.spaces import Discrete, Space

NARROWEST, WIDEST = -5.0, 2.0  # logarithms of the standard deviation


class Head(NamedTuple):
    """How outputs are read.

    Args:
        width: Outputs of the network.
        draw: From outputs and a generator to actions.
        best: From outputs to the likeliest actions.
        judge: From outputs and actions to their log-probability and the entropy, shape ``(N,)`` each.
        pull: From outputs and actions to their log-probability, shape ``(N,)``, and its derivative by the outputs.
    """

    width: int
    draw: Callable[[Tensor, torch.Generator], Tensor]
    best: Callable[[Tensor], Tensor]
    judge: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
    pull: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def head_of(space: Space) -> Head:
    """The head for a space of actions: chances for a discrete one, bell curves for a box."""
    if isinstance(space, Discrete):
        return Head(
            space.n, draw_categorical, lambda z: z.argmax(1), categorical_log_prob, categorical_pull
        )
    return Head(
        2 * space.width, draw_gaussian, lambda z: z.chunk(2, 1)[0], gaussian_log_prob, gaussian_pull
    )


def draw_categorical(logits: Tensor, generator: torch.Generator) -> Tensor:
    """Draw one of several actions for each row."""
    return torch.multinomial(logits.softmax(1), 1, generator=generator).squeeze(1)


@takes_arrays
def categorical_log_prob(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    r"""How likely actions were, and how open the choice.

    .. math:: \log\pi(a)=z_a-\log\sum_b e^{z_b}, \qquad H=-\sum_b\pi(b)\log\pi(b)

    Args:
        logits: :math:`z`, shape ``(N, A)``.
        actions: :math:`a`, shape ``(N,)``.

    Example:
        >>> log_prob, entropy = categorical_log_prob(torch.zeros(1, 2), torch.tensor([0]))
        >>> torch.equal(-log_prob, entropy)
        True
    """
    log_probs = logits.log_softmax(1)
    chosen = log_probs.gather(1, actions.unsqueeze(1)).squeeze(1)
    return chosen, -(log_probs.exp() * log_probs).sum(1)


def categorical_pull(logits: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    r"""Log-probabilities, and :math:`\partial\log\pi(a)/\partial z_b=[a=b]-\pi(b)`."""
    log_probs, place = logits.log_softmax(1), actions.unsqueeze(1)
    log_prob = log_probs.gather(1, place).squeeze(1)
    slope = log_probs.exp_().neg_()
    return log_prob, slope.scatter_add_(1, place, torch.ones_like(slope[:, :1]))


def _bell(outputs: Tensor) -> tuple[Tensor, Tensor]:
    mean, log_width = outputs.chunk(2, 1)
    return mean, log_width.clamp(NARROWEST, WIDEST)


def draw_gaussian(outputs: Tensor, generator: torch.Generator) -> Tensor:
    """Draw numbers for each row."""
    mean, log_width = _bell(outputs)
    noise = torch.randn(mean.shape, generator=generator)
    return mean + log_width.exp() * noise


@takes_arrays
def gaussian_log_prob(outputs: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    r"""How likely numbers were under independent bell curves, and how open the choice.

    .. math:: \log\pi(a)=-\sum_j\Bigl(\tfrac{(a_j-\mu_j)^2}{2\sigma_j^2}+\log\sigma_j+\tfrac12\log 2\pi\Bigr), \qquad
        H=\sum_j\bigl(\log\sigma_j+\tfrac12\log 2\pi e\bigr)

    Args:
        outputs: :math:`\mu` and :math:`\log\sigma` side by side, shape ``(N, 2A)``; the latter is kept in [−5, 2].
        actions: :math:`a`, shape ``(N, A)``.

    Example:
        >>> gaussian_log_prob(torch.zeros(1, 2), torch.zeros(1, 1))[0]
        tensor([-0.9189])
    """
    mean, log_width = _bell(outputs)
    apart = (actions - mean) * (-log_width).exp()
    constant = 0.5 * math.log(2 * math.pi)
    log_prob = -(0.5 * apart.square() + log_width + constant).sum(1)
    return log_prob, (log_width + constant + 0.5).sum(1)


def gaussian_pull(outputs: Tensor, actions: Tensor) -> tuple[Tensor, Tensor]:
    r"""Log-probabilities, and their derivative: :math:`(a-\mu)/\sigma^2` and :math:`(a-\mu)^2/\sigma^2-1`."""
    mean, log_width = _bell(outputs)
    raw = outputs.chunk(2, 1)[1]
    precision = (-2 * log_width).exp()
    apart = actions - mean
    is_free = (raw >= NARROWEST) & (raw <= WIDEST)
    slope = torch.cat((apart * precision, (apart.square() * precision - 1) * is_free), 1)
    return gaussian_log_prob(outputs, actions)[0], slope
