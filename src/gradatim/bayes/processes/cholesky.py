"""The Cholesky factor of a covariance, with a little noise added where rounding asks for it, and its inverse.

Both by SciPy's LAPACK, which takes a third less time on one core than PyTorch's, where a loop copies triangles number by number.
"""

import warnings
from typing import Any

import torch
from scipy.linalg import get_lapack_funcs
from torch import Tensor

from gradatim.errors import InvalidValue

JITTERS = (0.0, 1e-10, 1e-8, 1e-6, 1e-4)  # times the mean variance


def safe_cholesky(owner: str, K: Tensor, noise: float = 0.0) -> tuple[Tensor, float]:
    r"""Return :math:`L` with :math:`LL^\top=K+(\sigma^2+\epsilon)I`, and :math:`\epsilon`, 0 where none is needed.

    Args:
        owner: Who asks, for messages.
        K: Symmetric, shape ``(N, N)``.
        noise: :math:`\sigma^2`.

    Example:
        >>> factor, jitter = safe_cholesky("GP", torch.eye(2), noise=3.0)
        >>> factor.diagonal(), jitter
        (tensor([2., 2.]), 0.0)
    """
    own = K.diagonal().clone()
    scale = own.mean().abs().item() + noise
    for share in JITTERS:
        K.diagonal().add_(
            noise + share * scale
        )  # for the moment, since a copy costs a tenth of the factor
        found, failed = _routine("potrf", K)(K.numpy().T, lower=1)  # a symmetric matrix by columns
        K.diagonal().copy_(own)
        factor = torch.from_numpy(found)
        if not failed and bool(torch.isfinite(factor.diagonal()).all()):
            return factor, share * scale
    K.diagonal().add_(noise)
    raise InvalidValue(
        f"{owner}: kernel must be positive semidefinite, got one with eigenvalue "
        f"{torch.linalg.eigvalsh(K.nan_to_num()).min().item():.3g}. Add White() or give noise."
    )


def inverse_triangle(factor: Tensor) -> Tensor:
    r"""The upper triangle of :math:`(LL^\top)^{-1}`; what is below is anything.

    Args:
        factor: :math:`L`, lower triangular, shape ``(N, N)``.

    Example:
        >>> inverse_triangle(torch.tensor([[2.0, 0.0], [1.0, 1.0]])).triu()
        tensor([[ 0.5000, -0.5000],
                [ 0.0000,  1.0000]])
    """
    found, _ = _routine("potri", factor)(factor.numpy(), lower=1)
    return torch.from_numpy(found).mT


def _routine(name: str, matrix: Tensor) -> Any:
    """LAPACK's for the precision of a matrix."""
    return get_lapack_funcs(name, (matrix.numpy(),))


def say_jitter(owner: str, jitter: float) -> None:
    """Tell the user that a little noise was added."""
    if jitter:
        warnings.warn(
            f"{owner}: added {jitter:.1e} to the variances, since rows repeat or lie too close for the kernel; "
            "give noise to say how far they may differ.",
            stacklevel=3,
        )
