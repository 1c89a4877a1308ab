"""The best discriminator there is, and what the game is worth against it."""

import math

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
def bayes_discriminator(log_p: Tensor, log_q: Tensor) -> Tensor:
    r"""Probability that a point is data, where data and samples come equally often from known densities.

    .. math:: D^*(x) = \frac{p(x)}{p(x)+q(x)}

    Args:
        log_p: :math:`\log p(x)` of data, any shape.
        log_q: :math:`\log q(x)` of samples, the same shape.

    Example:
        >>> bayes_discriminator(torch.tensor([0.3]).log(), torch.tensor([0.1]).log())
        tensor([0.7500])
    """
    return torch.sigmoid(log_p - log_q)


@takes_arrays
def jensen_shannon(p: Tensor, q: Tensor) -> Tensor:
    r"""Jensen-Shannon divergence of two lists of probabilities, in nats: from 0 to :math:`\log 2`.

    .. math:: D_{JS} = \tfrac12\mathrm{KL}(p\,\|\,m) + \tfrac12\mathrm{KL}(q\,\|\,m)
        = H(m) - \tfrac12H(p) - \tfrac12H(q), \qquad m = \tfrac12(p+q)

    Args:
        p: Probabilities, shape ``(K,)``, of sum 1; of densities on a grid, with the width of its cells.
        q: The same.

    Example:
        >>> jensen_shannon(torch.tensor([1.0, 0.0]), torch.tensor([0.0, 1.0]))
        tensor(0.6931)
    """
    _check("jensen_shannon", p, q)
    m = (p + q) / 2
    return (torch.xlogy(p, p / m).nansum() + torch.xlogy(q, q / m).nansum()) / 2


@takes_arrays
def game_value(p: Tensor, q: Tensor, d: Tensor) -> Tensor:
    r"""What a discriminator has of the game between two lists of probabilities.

    .. math:: \ell = \tfrac12\sum_x p(x)\log D(x) + \tfrac12\sum_x q(x)\log(1-D(x))
        \ \le\ \ell^* = D_{JS}(p\,\|\,q) - \log 2

    In the derivation of notes 002 the factors ½ are missing from the third line on, and are back in the last; the result
    stands with them.

    Args:
        p: Probabilities of data, shape ``(K,)``.
        q: Probabilities of samples.
        d: :math:`D`, in [0, 1].

    Example:
        >>> p = torch.tensor([0.5, 0.5])
        >>> game_value(p, p, torch.tensor([0.5, 0.5])), -math.log(2)
        (tensor(-0.6931), -0.6931471805599453)
    """
    _check("game_value", p, q)
    require(d.shape == p.shape, "game_value: d must have the shape of p", tuple(d.shape))
    return (torch.xlogy(p, d).sum() + torch.xlogy(q, 1 - d).sum()) / 2


def _check(owner: str, p: Tensor, q: Tensor) -> None:
    fits = p.ndim == 1 and p.shape == q.shape and len(p) > 0
    require(fits, f"{owner}: p and q must be two lists of equally many probabilities", f"{tuple(p.shape)} and {tuple(q.shape)}")  # fmt: skip
    sums = [float(each.detach().double().sum()) for each in (p, q)]
    close = all(math.isclose(total, 1, rel_tol=1e-3) for total in sums)
    require(close, f"{owner}: p and q must each sum to 1", f"{sums[0]:.4g} and {sums[1]:.4g}")
