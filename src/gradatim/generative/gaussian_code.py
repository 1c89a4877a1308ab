"""Codes drawn from a diagonal Gaussian: how far it is from the prior, and a draw that a gradient passes through."""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


class GaussianCode(NamedTuple):
    r"""What an encoder says of the codes of rows, :math:`q(z \mid x) = N(\mu, \operatorname{diag}\sigma^2)`.

    Attributes:
        mean: :math:`\mu`, shape ``(B, m)``.
        log_variance: :math:`\log\sigma^2`, shape ``(B, m)``.
    """

    mean: Tensor
    log_variance: Tensor


@takes_arrays
def gaussian_kl(mean: Tensor, log_variance: Tensor) -> Tensor:
    r"""Divergence of a diagonal Gaussian from the standard one, entry by entry; their sum is that of the whole.

    .. math:: D\big(N(\mu, \sigma^2) \,\|\, N(0, 1)\big) = \tfrac12\big(\mu^2 + \sigma^2 - 1 - \log\sigma^2\big)

    Args:
        mean: :math:`\mu`.
        log_variance: :math:`\log\sigma^2`, of the same shape.

    Example:
        >>> gaussian_kl(torch.tensor([0.0, 2.0]), torch.tensor([0.0, 0.0]))
        tensor([0., 2.])

    Reference:
        Kingma, Welling, Auto-Encoding Variational Bayes, 2014, appendix B.
    """
    # expm1 keeps the digits of σ² − 1 near the prior
    return 0.5 * (mean.square() + log_variance.expm1() - log_variance)


@takes_arrays
def reparameterize(mean: Tensor, log_variance: Tensor, noise: Tensor) -> Tensor:
    r"""Draw from a diagonal Gaussian so that its mean and variance have a gradient.

    .. math:: z = \mu + \sigma\,\epsilon, \qquad \epsilon \sim N(0, I)

    Args:
        mean: :math:`\mu`, shape ``(B, m)``.
        log_variance: :math:`\log\sigma^2`, shape ``(B, m)``.
        noise: :math:`\epsilon`, shape ``(..., B, m)``.

    Example:
        >>> reparameterize(torch.ones(1, 2), torch.zeros(1, 2), torch.tensor([[0.5, -1.0]]))
        tensor([[1.5000, 0.0000]])
    """
    return torch.addcmul(mean, (0.5 * log_variance).exp(), noise)


@takes_arrays
def keep_free_bits(kl: Tensor, free_bits: float) -> Tensor:
    r"""Sum the divergence of a batch over the entries of the code, none of which pays for its first nats.

    .. math:: \sum_j \max\Big(\lambda,\ \frac1B\sum_i D_{ij}\Big)

    An entry below :math:`\lambda` has no gradient here, so nothing pushes it down to the prior while it is still useless.

    Args:
        kl: :math:`D`, divergence by row and entry, shape ``(B, m)``.
        free_bits: :math:`\lambda`, in nats for each entry.

    Example:
        >>> keep_free_bits(torch.tensor([[0.1, 3.0], [0.3, 1.0]]), 0.5)
        tensor(2.5000)

    Reference:
        Kingma et al., Improved Variational Inference with Inverse Autoregressive Flow, 2016, appendix C.8.
    """
    require(free_bits >= 0, "keep_free_bits: free_bits must be at least 0", free_bits)
    return kl.mean(0).clamp(min=free_bits).sum()
