"""Bounds of the log-likelihood of a model with codes: the evidence lower bound, and the importance-weighted one."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require_whole
from gradatim.generative.gaussian_code import gaussian_kl, reparameterize
from gradatim.generative.vae import VAE
from gradatim.nn import log_mean_exp

PIECE = 64  # rows, and draws of each, that are decoded at once where no gradient is asked for


class ELBO(NamedTuple):
    """The evidence lower bound and its parts.

    Attributes:
        bound: ``log_likelihood`` less the sum of ``kl``, shape ``(B,)``.
        log_likelihood: Log-likelihood of rows given their codes, averaged over draws, shape ``(B,)``.
        kl: Divergence from the prior by entry of the code, shape ``(B, m)``.
    """

    bound: Tensor
    log_likelihood: Tensor
    kl: Tensor


@takes_arrays
def elbo(
    model: VAE,
    x: Tensor,
    *,
    label: Tensor | None = None,
    samples: int = 1,
    generator: torch.Generator | None = None,
) -> ELBO:
    r"""The evidence lower bound of each row, with the divergence in closed form.

    .. math:: \log p(x) \ge \mathbb E_{q(z \mid x)}[\log p(x \mid z)] - D(q(z \mid x) \,\|\, p(z))

    What is missing is :math:`D(q(z \mid x) \,\|\, p(z \mid x))`, exactly. Neither ``beta`` nor ``free_bits`` is in it.

    Args:
        model: A variational autoencoder.
        x: Rows.
        label: Their classes, for a model that learned by class.
        samples: Draws of z for the expectation.
        generator: Source of randomness.

    Example:
        >>> from gradatim.models import MLP
        >>> vae = VAE(MLP((4, 8, 2 * 2)), MLP((2, 8, 4)), 2)
        >>> elbo(vae, torch.zeros(3, 4)).kl.shape
        torch.Size([3, 2])
    """
    require_whole("elbo", samples=samples)
    code = model.encode(x, label)
    z = reparameterize(*code, _noise(code.mean, samples, generator))
    log_likelihood = model.likelihood.log_prob(model.decode(z, label), x).mean(0)
    kl = gaussian_kl(*code)
    return ELBO(log_likelihood - kl.sum(-1), log_likelihood, kl)


@takes_arrays
def log_weights(
    model: VAE,
    x: Tensor,
    samples: int,
    *,
    label: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Logarithms of importance weights of codes drawn from the encoder, shape ``(samples, B)``.

    .. math:: \log w_k = \log p(x \mid z_k) + \log p(z_k) - \log q(z_k \mid x), \qquad z_k \sim q(z \mid x)

    Each weight has the mean :math:`p(x)`. If they differ much, the encoder is far from the posterior.

    Args:
        model: A variational autoencoder.
        x: Rows.
        samples: Draws for each row.
        label: Their classes, for a model that learned by class.
        generator: Source of randomness.

    Example:
        >>> from gradatim.models import MLP
        >>> vae = VAE(MLP((4, 8, 2 * 2)), MLP((2, 8, 4)), 2)
        >>> log_weights(vae, torch.zeros(3, 4), 5).shape
        torch.Size([5, 3])
    """
    require_whole("log_weights", samples=samples)
    code = model.encode(x, label)
    noise = _noise(code.mean, samples, generator)
    z = reparameterize(*code, noise)
    log_likelihood = model.likelihood.log_prob(model.decode(z, label), x)
    # of log p(z) and log q(z | x) the terms log 2π are equal
    return log_likelihood - 0.5 * (z.square() - noise.square() - code.log_variance).sum(-1)


@takes_arrays
def importance_weighted_bound(
    model: VAE,
    x: Tensor,
    samples: int,
    *,
    label: Tensor | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""The importance-weighted bound of the log-likelihood of each row, shape ``(B,)``.

    .. math:: \mathcal L_K = \mathbb E\Big[\log\frac1K\sum_{k=1}^K w_k\Big] \le \log p(x), \qquad
        \mathcal L_1 = \mathrm{ELBO}, \qquad \mathcal L_{K+1} \ge \mathcal L_K

    A thousand samples are what likelihoods of such models are usually compared by. Without a gradient, memory stays
    bounded, however many rows and samples there are.

    Args:
        model: A variational autoencoder.
        x: Rows.
        samples: :math:`K`.
        label: Their classes, for a model that learned by class.
        generator: Source of randomness.

    Example:
        >>> from gradatim.models import MLP
        >>> vae = VAE(MLP((4, 8, 2 * 2)), MLP((2, 8, 4)), 2)
        >>> importance_weighted_bound(vae, torch.zeros(3, 4), 100).shape
        torch.Size([3])

    Reference:
        Burda, Grosse, Salakhutdinov, Importance Weighted Autoencoders, 2016, eq. 8.
    """
    require_whole("importance_weighted_bound", samples=samples)
    if torch.is_grad_enabled() or not len(x):
        return log_mean_exp(log_weights(model, x, samples, label=label, generator=generator), 0)
    labels = [None] * len(x) if label is None else label.split(PIECE)
    sums = []
    for rows, of_rows in zip(x.split(PIECE), labels, strict=False):
        draws = [min(PIECE, samples - start) for start in range(0, samples, PIECE)]
        pieces = [log_weights(model, rows, n, label=of_rows, generator=generator) for n in draws]
        sums.append(torch.cat(pieces).logsumexp(0))
    return torch.cat(sums) - math.log(samples)


def _noise(like: Tensor, samples: int, generator: torch.Generator | None) -> Tensor:
    """Standard normal draws for each row, shape ``(samples, B, m)``."""
    return torch.randn(samples, *like.shape, generator=generator, dtype=like.dtype, device=like.device)  # fmt: skip
