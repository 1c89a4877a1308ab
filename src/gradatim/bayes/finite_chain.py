"""Markov chains of finitely many states: their kernel is a matrix, and what stays is its eigenvector."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, require


@takes_arrays
def metropolis_matrix(proposal: Tensor, log_density: Tensor) -> Tensor:
    r"""The kernel of Metropolis and Hastings on a finite space.

    .. math::
        \Pi_{ij} = Q_{ij}\min\Bigl(1, \frac{p_jQ_{ji}}{p_iQ_{ij}}\Bigr)\quad(i\ne j), \qquad
        \Pi_{ii} = 1-\sum_{j\ne i}\Pi_{ij}

    It is in detailed balance with :math:`p`: :math:`p_i\Pi_{ij}=p_j\Pi_{ji}`.

    Args:
        proposal: :math:`Q`, from row to column, shape ``(K, K)``; rows sum to 1.
        log_density: :math:`\log p` up to a constant, finite, shape ``(K,)``.

    Example:
        >>> metropolis_matrix(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), torch.tensor([3.0, 1.0]).log())
        tensor([[0.6667, 0.3333],
                [1.0000, 0.0000]])
    """
    _check_matrix("metropolis_matrix", "proposal", proposal)
    K = len(proposal)
    require(log_density.shape == (K,) and bool(torch.isfinite(log_density).all()), f"metropolis_matrix: log_density must be {K} finite numbers", f"shape {tuple(log_density.shape)}")  # fmt: skip
    flow = log_density[:, None] + proposal.log()  # log p_i Q_ij
    ratio = torch.nan_to_num(flow.T - flow, nan=-torch.inf)
    kernel = proposal * ratio.clamp(max=0).exp()
    kernel.fill_diagonal_(0.0)
    return kernel + torch.diag((1 - kernel.sum(1)).clamp(min=0))


@takes_arrays
def stationary_distribution(kernel: Tensor) -> Tensor:
    r"""The distribution that stays, :math:`q^\top\Pi=q^\top`.

    There is only one if every state can be reached from every other (an irreducible kernel); detailed balance is
    not enough, as some lecture notes claim: the identity has it, and keeps every :math:`q`.

    Args:
        kernel: :math:`\Pi`, from row to column, shape ``(K, K)``; rows sum to 1.

    Returns:
        :math:`q`, shape ``(K,)``.

    Example:
        >>> stationary_distribution(torch.tensor([[0.5, 0.5], [1.0, 0.0]]))
        tensor([0.6667, 0.3333])
    """
    _check_matrix("stationary_distribution", "kernel", kernel)
    rows = kernel.double()
    rows = rows / rows.sum(1, keepdim=True)  # free of the rounding of single precision
    _, sizes, directions = torch.linalg.svd(rows.T - torch.eye(len(rows)).to(rows))
    kept = int((sizes < 1e-10).sum())
    if kept != 1:
        raise InvalidValue(
            f"stationary_distribution: kernel must join all states, got one that keeps {kept} distributions apart."
        )
    return (directions[-1] / directions[-1].sum()).to(kernel.dtype)


def _check_matrix(owner: str, name: str, matrix: Tensor) -> None:
    is_square = matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] and len(matrix) > 0
    require(is_square and matrix.is_floating_point(), f"{owner}: {name} must be a square matrix of probabilities", f"{matrix.dtype} of shape {tuple(matrix.shape)}")  # fmt: skip
    is_kernel = bool((matrix >= 0).all() and ((matrix.sum(1) - 1).abs() < 1e-5).all())
    require(is_kernel, f"{owner}: rows of {name} must be probabilities that sum to 1", f"sums {matrix.sum(1).tolist()}")  # fmt: skip
