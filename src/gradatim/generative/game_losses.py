r"""What the two players of an adversarial game minimize.

The generator :math:`\theta` and the discriminator :math:`\varphi`, with logits :math:`f = \log\frac{D}{1-D}`, play

.. math:: \min_\theta\max_\varphi\ \ell(\theta,\varphi) = \tfrac12\mathbb E_{x\sim p}\log D(x)
    + \tfrac12\mathbb E_{z}\log(1-D(G(z)))

Notes 002 print a minimum over both; with that the discriminator would learn to err. The factor ½, which changes nothing
about the game, is left out below, as is usual.

What the generator feels where its samples are recognized, :math:`D(G(z)) \to 0` (the notes print :math:`\to 1`):
:math:`\log(1-D)` has the slope :math:`-D` in the logit and dies out, :math:`-\log D` has :math:`-(1-D)` and does not.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import choose


@takes_arrays
def discriminator_loss(real: Tensor, fake: Tensor) -> Tensor:
    r"""Cross-entropy of telling data from samples.

    .. math:: -\mathbb E\log D(x) - \mathbb E\log(1 - D(G(z)))

    Args:
        real: Logits of data, any shape.
        fake: Logits of samples, any shape.

    Example:
        >>> discriminator_loss(torch.zeros(3), torch.zeros(3))
        tensor(1.3863)

    Reference:
        Goodfellow et al., Generative Adversarial Nets, 2014.
    """
    return F.softplus(-real).mean() + F.softplus(fake).mean()


@takes_arrays
def minimax_loss(fake: Tensor) -> Tensor:
    r"""What the generator has of the game itself: :math:`\mathbb E\log(1 - D(G(z)))`. It saturates where D(G(z)) is near 0.

    Args:
        fake: Logits of samples, any shape.

    Example:
        >>> minimax_loss(torch.zeros(3))
        tensor(-0.6931)
    """
    return -F.softplus(fake).mean()


@takes_arrays
def non_saturating_loss(fake: Tensor) -> Tensor:
    r"""The generator's usual loss, :math:`-\mathbb E\log D(G(z))`, whose slope is largest where D(G(z)) is near 0.

    It helps where samples are recognized, :math:`D(G(z)) \to 0`; notes 002 print :math:`\to 1`.

    Args:
        fake: Logits of samples, any shape.

    Example:
        >>> non_saturating_loss(torch.zeros(3))
        tensor(0.6931)
    """
    return F.softplus(-fake).mean()


@takes_arrays
def critic_loss(real: Tensor, fake: Tensor) -> Tensor:
    r"""What a critic of slope at most 1 minimizes; minus it is a bound from below on the Wasserstein-1 distance.

    .. math:: \mathbb E f(G(z)) - \mathbb E f(x)

    Args:
        real: Numbers that the critic gives data.
        fake: Numbers that it gives samples.

    Example:
        >>> critic_loss(torch.tensor([2.0]), torch.tensor([0.5]))
        tensor(-1.5000)

    Reference:
        Arjovsky, Chintala, Bottou, Wasserstein Generative Adversarial Networks, 2017.
    """
    return fake.mean() - real.mean()


def wasserstein_loss(fake: Tensor) -> Tensor:
    """The generator's side of the critic: minus the mean of what the critic gives samples."""
    return -fake.mean()


@takes_arrays
def gradient_penalty(critic: Callable[[Tensor], Tensor], real: Tensor, fake: Tensor, share: Tensor) -> Tensor:  # fmt: skip
    r"""How far the slopes of a critic are from 1, between data and samples.

    .. math:: \mathbb E\bigl(\lVert\nabla f(\hat x)\rVert - 1\bigr)^2, \qquad \hat x = u\,x + (1-u)\,G(z)

    Args:
        critic: From rows to numbers ``(B,)``; no batch normalization, which ties rows together.
        real: Data, shape ``(B, ...)``.
        fake: Samples, of the shape of ``real``.
        share: :math:`u`, one for each row, uniform in [0, 1], shape ``(B,)``.

    Example:
        >>> x = torch.randn(4, 2)
        >>> gradient_penalty(lambda x: x @ torch.tensor([3.0, 4.0]), x, x, torch.zeros(4))
        tensor(16.)

    Reference:
        Gulrajani et al., Improved Training of Wasserstein GANs, 2017.
    """
    u = share.reshape(-1, *(1,) * (real.ndim - 1))
    between = (u * real + (1 - u) * fake).detach().requires_grad_()  # (B, ...)
    slopes = torch.autograd.grad(critic(between).sum(), between, create_graph=True)[0]
    return (slopes.flatten(1).norm(dim=1) - 1).square().mean()


class GameLosses(NamedTuple):
    """Losses of both players, of logits.

    Args:
        discriminator: From logits of data and of samples.
        generator: From logits of samples.
        has_penalty: Whether the discriminator's slopes are held at 1.
    """

    discriminator: Callable[[Tensor, Tensor], Tensor]
    generator: Callable[[Tensor], Tensor]
    has_penalty: bool = False


OBJECTIVES = {
    "non-saturating": GameLosses(discriminator_loss, non_saturating_loss),
    "minimax": GameLosses(discriminator_loss, minimax_loss),
    "wasserstein-gp": GameLosses(critic_loss, wasserstein_loss, has_penalty=True),
}


def game_losses(objective: str) -> GameLosses:
    """Return the losses of a named game.

    >>> game_losses("minimax").generator.__name__
    'minimax_loss'
    """
    return OBJECTIVES[choose("train_gan", "objective", objective, OBJECTIVES)]
