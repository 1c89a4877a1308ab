"""How far two clouds of points are apart, were they Gaussian."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require


@takes_arrays
@torch.no_grad()
def frechet_distance(
    x: Tensor, y: Tensor, x_weights: Tensor | None = None, y_weights: Tensor | None = None
) -> Tensor:
    r"""Squared Wasserstein distance between the Gaussians with the means and covariances of two sets of rows.

    .. math:: d^2 = \lVert\mu_x-\mu_y\rVert^2
        + \operatorname{tr}\bigl(\Sigma_x+\Sigma_y-2(\Sigma_x^{1/2}\Sigma_y\Sigma_x^{1/2})^{1/2}\bigr)

    In the features of a classifier it says how far samples are from data. The figure of other papers takes features of
    an Inception network trained on photographs, and cannot be compared with this one in features of one's own. Few rows
    make it too large, by about :math:`D^2/N` times a variance: compare only figures of equally many rows.

    Args:
        x: Rows, shape ``(N, D)``, at least two.
        y: Rows, shape ``(M, D)``, at least two.
        x_weights: Weights of the rows of ``x``, shape ``(N,)``, or ``(B, N)`` for ``B`` sets of them; equal by default.
        y_weights: The same for ``y``.

    Returns:
        The distance, in double precision; shape ``(B,)`` for sets of weights.

    Example:
        >>> x = torch.tensor([[-1.0], [1.0]])
        >>> frechet_distance(x, x + 3)
        tensor(9., dtype=torch.float64)

    Reference:
        Dowson and Landau, The Fréchet Distance between Multivariate Normal Distributions, 1982; Heusel et al., GANs
        Trained by a Two Time-Scale Update Rule Converge to a Local Nash Equilibrium, 2017.
    """
    rule = "frechet_distance: x and y must be at least two rows each of the same numbers"
    fit = x.ndim == y.ndim == 2 and x.shape[1] == y.shape[1] and min(len(x), len(y)) > 1
    require(fit, rule, f"{tuple(x.shape)} and {tuple(y.shape)}")
    mean_x, cov_x = _moments(x, x_weights)
    mean_y, cov_y = _moments(y, y_weights)
    root = _root(cov_x)
    cross = torch.linalg.eigvalsh(root @ cov_y @ root).clamp(min=0).sqrt().sum(-1)
    trace = (cov_x + cov_y).diagonal(dim1=-2, dim2=-1).sum(-1)
    return ((mean_x - mean_y).square().sum(-1) + trace - 2 * cross).clamp(min=0)


def _moments(rows: Tensor, weights: Tensor | None) -> tuple[Tensor, Tensor]:
    """Mean ``(..., D)`` and unbiased covariance ``(..., D, D)`` under weights ``(..., N)``."""
    rows = rows.double()
    if weights is None:
        weights = rows.new_full((len(rows),), 1 / len(rows))
    weights = weights.to(rows) / weights.to(rows).sum(-1, keepdim=True)
    mean = weights @ rows
    flat = weights.reshape(-1, len(rows))
    second = torch.stack([(rows * w[:, None]).T @ rows for w in flat])
    second = second.reshape(*weights.shape[:-1], *second.shape[1:])
    spread = second - mean[..., :, None] * mean[..., None, :]
    return mean, spread / (1 - weights.square().sum(-1))[..., None, None]


def _root(matrix: Tensor) -> Tensor:
    """Square root of a symmetric matrix without negative eigenvalues."""
    values, vectors = torch.linalg.eigh(matrix)
    return vectors * values.clamp(min=0).sqrt()[..., None, :] @ vectors.mT
