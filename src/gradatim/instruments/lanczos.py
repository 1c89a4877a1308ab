r"""One end of the spectrum of a symmetric matrix that is known by its products with vectors only.

With :math:`V` an orthonormal basis of the directions tried, Lanczos' method takes the eigenvalues of
:math:`V^\top HV` for those of :math:`H`. The ends of the spectrum come first, and what an estimate
:math:`(\theta,u)` leaves undone is known,

.. math:: \min_\lambda|\lambda-\theta|\le\lVert Hu-\theta u\rVert

so that the method knows when it is done. Every new direction is made orthogonal to all the others, twice. When
:data:`WIDTH` of them are held, the better half of the eigenvectors found goes on as the basis.

Reference:
    Lanczos, An iteration method for the solution of the eigenvalue problem, 1950;
    Wu and Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, 2000.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

WIDTH = 48  # directions held at once, as many vectors of the matrix's size
ROUNDING = 16.0  # residuals below so many units of rounding of the largest eigenvalue say nothing


class Eigenpair(NamedTuple):
    """An eigenvalue, its unit eigenvector, the products spent, and whether they sufficed."""

    value: float
    vector: Tensor
    steps: int
    is_converged: bool


def extreme_eigenpair(
    product: Callable[[Tensor], Tensor],
    start: Tensor,
    prefer: Callable[[Tensor], Tensor],
    *,
    max_steps: int,
    tol: float,
) -> Eigenpair:
    """The eigenvalue that is preferred to all others.

    Args:
        product: The symmetric matrix, as a function of a vector.
        start: First direction, shape ``(d,)``; must not be orthogonal to the eigenvector, so draw it.
        prefer: Gives each eigenvalue a figure, the highest for the one wanted: ``torch.abs``, ``torch.neg``.
        max_steps: Most products.
        tol: Residual at which to stop, relative to the eigenvalue.

    Example:
        >>> matrix = torch.diag(torch.tensor([1e4, 1.5, 1.0]).double())
        >>> start = torch.ones(3).double()
        >>> found = extreme_eigenpair(matrix.mv, start, torch.neg, max_steps=9, tol=1e-8)
        >>> round(found.value, 6), found.steps
        (1.0, 3)
    """
    eps = ROUNDING * torch.finfo(start.dtype).eps
    v, basis = start / start.norm(), start.new_empty(0, len(start))
    T = torch.zeros(0, 0, dtype=torch.float64)  # the matrix in the basis
    for k in range(1, max_steps + 1):
        basis = torch.cat([basis, v[None]])
        T, rest = _extend(T, basis, product(v))
        values, vectors = torch.linalg.eigh(T)
        order = prefer(values).argsort(descending=True)
        best, size, length = values[order[0]].item(), values.abs().max().item(), rest.norm().item()
        residual = length * abs(vectors[-1, order[0]].item())
        # nothing left to try, or nothing left to do
        is_done = min(length, residual) <= max(tol * abs(best), eps * size) or len(basis) == len(
            start
        )
        if is_done or k == max_steps:
            return Eigenpair(best, _turn(vectors[:, order[:1]], basis)[0], k, is_done)
        if len(basis) == WIDTH:
            kept = order[: WIDTH // 2]
            basis, T = _turn(vectors[:, kept], basis), values[kept].diag()
        v = rest / length
    raise AssertionError("max_steps is at least 1")


def _extend(T: Tensor, basis: Tensor, image: Tensor) -> tuple[Tensor, Tensor]:
    """The matrix in a basis with one more vector, and what of the vector's image lies outside of the basis."""
    inside = basis @ image
    rest = image - inside @ basis
    again = basis @ rest  # rounding
    row = (inside + again).double().cpu()
    T = torch.cat([torch.cat([T, row[:-1, None]], 1), row[None]])
    return T, rest - again @ basis


def _turn(vectors: Tensor, basis: Tensor) -> Tensor:
    """Rows of the basis, mixed by columns of weights."""
    return vectors.T.to(basis) @ basis
