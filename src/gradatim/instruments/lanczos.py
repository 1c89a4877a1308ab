r"""The ends of the spectrum of a symmetric matrix that is known by its products with vectors only.

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


class Eigenpairs(NamedTuple):
    """Eigenvalues, their unit eigenvectors as rows, the products spent, and whether they sufficed."""

    values: Tensor
    vectors: Tensor
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
    found = extreme_eigenpairs(product, start, prefer, count=1, max_steps=max_steps, tol=tol)
    return Eigenpair(found.values.item(), found.vectors[0], found.steps, found.is_converged)


def extreme_eigenpairs(
    product: Callable[[Tensor], Tensor],
    start: Tensor,
    prefer: Callable[[Tensor], Tensor],
    *,
    count: int,
    max_steps: int,
    tol: float,
) -> Eigenpairs:
    """The eigenvalues that are preferred to all others, best first.

    One start sees one eigenvector of each eigenvalue. Where its directions are used up, another is drawn until that changes
    nothing more, so that equal eigenvalues are found as often as they are there. Where the best converge before the directions
    are used up, copies may be missed.

    Args:
        product: The symmetric matrix, as a function of a vector.
        start: First direction, shape ``(d,)``; must not be orthogonal to the eigenvectors, so draw it.
        prefer: Gives each eigenvalue a figure, the highest for the ones wanted.
        count: How many.
        max_steps: Most products.
        tol: Residual at which to stop, relative to each eigenvalue.

    Example:
        >>> found = extreme_eigenpairs(lambda v: 3 * v, torch.ones(4), torch.neg, count=2, max_steps=9, tol=1e-6)
        >>> found.values.round(decimals=4)
        tensor([3., 3.], dtype=torch.float64)
    """
    eps = ROUNDING * torch.finfo(start.dtype).eps
    width = max(WIDTH, 2 * count + 2)
    v, basis = start / start.norm(), start.new_empty(0, len(start))
    T = torch.zeros(0, 0, dtype=torch.float64)  # the matrix in the basis
    before = T.new_empty(0)  # the best when directions were used up the last time
    for k in range(1, max_steps + 1):
        basis = torch.cat([basis, v[None]])
        T, rest = _extend(T, basis, product(v))
        values, vectors = torch.linalg.eigh(T)
        order = prefer(values).argsort(descending=True)
        best, size, length = order[:count], values.abs().max().item(), rest.norm().item()
        residuals = length * vectors[-1, best].abs()
        limits = (tol * values[best].abs()).clamp_min(eps * size)
        is_exhausted = length <= limits.min().item()
        is_same = len(before) == count and bool(((values[best] - before).abs() <= limits).all())
        is_good = bool((residuals <= limits).all()) and (not is_exhausted or is_same or count == 1)
        # nothing left to do, or nothing left to try
        is_done = (is_good and len(basis) >= count) or len(basis) == len(start)
        if is_done or k == max_steps:
            return Eigenpairs(values[best], _turn(vectors[:, best], basis), k, is_done)
        if is_exhausted:
            v, before = _another(basis), values[best]
            continue
        if len(basis) == width:
            kept = order[: width // 2]
            basis, T = _turn(vectors[:, kept], basis), values[kept].diag()
        v = rest / length
    raise AssertionError("max_steps is at least 1")


def tridiagonalize(product: Callable[[Tensor], Tensor], start: Tensor, max_steps: int) -> Tensor:
    r"""The matrix :math:`T=V^\top HV` in the basis :math:`V` of the directions :math:`v, Hv, \dots, H^{m-1}v`.

    Args:
        product: The symmetric matrix :math:`H`, as a function of a vector.
        start: :math:`v`, shape ``(d,)``.
        max_steps: :math:`m`; fewer where the directions are used up.

    Returns:
        The matrix, in double precision, shape ``(m, m)``.

    Example:
        >>> matrix = torch.diag(torch.tensor([1.0, 4.0]).double())
        >>> torch.linalg.eigvalsh(tridiagonalize(matrix.mv, torch.ones(2).double(), 5))
        tensor([1.0000, 4.0000], dtype=torch.float64)
    """
    eps = ROUNDING * torch.finfo(start.dtype).eps
    v, basis = start / start.norm(), start.new_empty(0, len(start))
    T = torch.zeros(0, 0, dtype=torch.float64)
    while True:
        basis = torch.cat([basis, v[None]])
        T, rest = _extend(T, basis, product(v))
        length = rest.norm().item()
        if len(T) == min(max_steps, len(start)) or length <= eps * T.abs().max().item():
            return T
        v = rest / length


def _another(basis: Tensor) -> Tensor:
    """A unit vector outside of the basis."""
    generator = torch.Generator(basis.device).manual_seed(len(basis))
    v = torch.randn(basis.shape[1], generator=generator, dtype=basis.dtype, device=basis.device)
    for _ in range(2):
        v = v - (basis @ v) @ basis
    return v / v.norm()


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
