r"""Mixtures of Gaussians: clusters with a shape, and rows that belong to several of them by shares.

.. math::
    p(x) = \sum_k \pi_k N(x \mid \mu_k, \Sigma_k), \qquad
    r_{nk} = \frac{\pi_k N(x_n \mid \mu_k, \Sigma_k)}{p(x_n)}, \qquad
    \pi_k \leftarrow \frac{1}{N} \sum_n r_{nk}, \quad
    \mu_k \leftarrow \frac{\sum_n r_{nk} x_n}{\sum_n r_{nk}}, \quad
    \Sigma_k \leftarrow \frac{\sum_n r_{nk} (x_n - \mu_k)(x_n - \mu_k)^\top}{\sum_n r_{nk}}

The likelihood never falls. k-means is what is left where all :math:`\Sigma_k = \sigma^2 I` and :math:`\sigma \to 0`.

Reference:
    Dempster, Laird and Rubin, Maximum likelihood from incomplete data via the EM algorithm, 1977.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.clustering.rows import check_centers, check_rows
from gradatim.errors import require

__all__ = ["Info", "State", "init", "step"]


class State(NamedTuple):
    r"""A mixture.

    Args:
        weights: :math:`\pi`, shape ``(K,)``.
        means: :math:`\mu`, shape ``(K, d)``.
        covariances: :math:`\Sigma`, shape ``(K, d, d)``.
    """

    weights: Tensor
    means: Tensor
    covariances: Tensor


class Info(NamedTuple):
    """What was known before a step.

    Args:
        log_likelihood: Of the mixture before the step, a mean over the rows.
        shares: :math:`r`: how much each row belongs to each part then, shape ``(N, K)``.
    """

    log_likelihood: Tensor
    shares: Tensor


@takes_arrays
def init(x: Tensor, means: Tensor) -> State:
    """Begin with equal weights, and for every part with the covariance of all rows.

    Args:
        x: Rows, shape ``(N, d)``.
        means: Where the parts begin, shape ``(K, d)``.

    Example:
        >>> state = init([[0.0], [1.0], [9.0], [10.0]], [[0.0], [1.0]])
        >>> state.weights, state.covariances.flatten()
        (tensor([0.5000, 0.5000]), tensor([20.5000, 20.5000]))
    """
    x = check_rows("gaussian_mixture.init", x)
    means = check_centers("gaussian_mixture.init", x, means)
    away = x - x.mean(0)
    whole = away.T @ away / len(x)
    return State(x.new_full((len(means),), 1 / len(means)), means, whole.expand(len(means), -1, -1))


@takes_arrays
def step(x: Tensor, state: State, *, floor: float = 1e-6) -> tuple[State, Info]:
    r"""Ask every row for its shares, then fit every part to its share of the rows.

    Args:
        x: Rows, shape ``(N, d)``.
        state: Of ``init`` or the step before.
        floor: Least variance in any direction, which keeps a part from falling onto a single row. A start below it is raised.

    Example:
        >>> x = torch.tensor([[0.0], [1.0], [9.0], [10.0]])
        >>> state = init(x, [[0.0], [10.0]])
        >>> for _ in range(20):
        ...     state, info = step(x, state)
        >>> state.means.flatten().round(decimals=3), state.covariances.flatten().round(decimals=3)
        (tensor([0.5000, 9.5000]), tensor([0.2500, 0.2500]))
    """
    x = check_rows("gaussian_mixture.step", x)
    require(0 < floor < math.inf, "gaussian_mixture.step: floor must be positive and finite", floor)
    before = state._replace(covariances=_raise(state.covariances, floor))
    joint = before.weights.log() + log_densities(x, before)  # (N, K)
    total = joint.logsumexp(1, keepdim=True)
    shares = (joint - total).exp()
    sizes = shares.sum(0)  # (K,)
    is_there = sizes > 0
    per = sizes.clamp(min=torch.finfo(x.dtype).tiny)
    means = torch.where(is_there[:, None], (shares.T @ x) / per[:, None], before.means)
    away = x[:, None] - means  # (N, K, d)
    spread = torch.einsum("nk,nki,nkj->kij", shares, away, away) / per[:, None, None]
    spread = torch.where(is_there[:, None, None], _raise(spread, floor), before.covariances)
    return State(sizes / len(x), means, spread), Info(total.mean(), shares)


def log_densities(x: Tensor, state: State) -> Tensor:
    """Log-density of every row under every part, shape ``(N, K)``."""
    factor = torch.linalg.cholesky(state.covariances)  # (K, d, d)
    away = (x[:, None] - state.means).permute(1, 2, 0)  # (K, d, N)
    squares = torch.linalg.solve_triangular(factor, away, upper=False).square().sum(1).T
    volume = 2 * factor.diagonal(dim1=1, dim2=2).log().sum(1)
    return -0.5 * (squares + volume + x.shape[1] * math.log(2 * math.pi))


def _raise(covariances: Tensor, floor: float) -> Tensor:
    """The likeliest covariances among those with at least the variance ``floor`` in every direction."""
    values, vectors = torch.linalg.eigh(covariances)
    if (values >= floor).all():
        return covariances
    return (vectors * values.clamp(min=floor)[:, None]) @ vectors.mT
