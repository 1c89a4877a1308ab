"""The largest and the lowest curvature of an objective, by Lanczos' method on Hessian-vector products."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.instruments.lanczos import extreme_eigenpair
from gradatim.instruments.vector_objective import VectorObjective


class Curvature(NamedTuple):
    """An eigenvalue of the Hessian, its unit eigenvector, the products spent, and whether they sufficed."""

    value: float
    direction: Tensor
    steps: int
    is_converged: bool


@takes_arrays
def hessian_product(function: VectorObjective, point: Tensor) -> Callable[[Tensor], Tensor]:
    r"""Return :math:`v\mapsto\nabla^2h(\theta)\,v`, each product as cheap as two gradients.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.

    Example:
        >>> product = hessian_product(lambda w: w[0] ** 2 * w[1], torch.tensor([1.0, 2.0]))
        >>> product(torch.tensor([1.0, 0.0]))
        tensor([4., 2.])
    """
    theta = point.detach().clone().requires_grad_()
    with torch.enable_grad():
        (gradient,) = torch.autograd.grad(function(theta), theta, create_graph=True)

    def product(v: Tensor) -> Tensor:
        if not gradient.requires_grad:  # linear functions
            return torch.zeros_like(v)
        (result,) = torch.autograd.grad(
            gradient, theta, v, retain_graph=True, materialize_grads=True
        )
        return result

    return product


@takes_arrays
def smoothness(
    function: VectorObjective,
    point: Tensor,
    *,
    max_steps: int = 500,
    tol: float = 1e-8,
    generator: torch.Generator | None = None,
) -> Curvature:
    r"""Return the smoothness :math:`L=\lVert\nabla^2h(\theta)\rVert_2` at a point.

    .. math:: L = \max_i|\lambda_i(\nabla^2h(\theta))|

    :math:`L` is the largest eigenvalue by magnitude, without its sign, and never over-estimated. Descent is safe
    with :math:`\eta<2/L`, if :math:`L` holds all along the way and not only here.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        max_steps: Most products.
        tol: Bound of the error, relative to the estimate, at which to stop.
        generator: Source of the first direction; by default a fixed one.

    Example:
        >>> round(smoothness(lambda w: 3 * w[0] ** 2 - 4 * w[1] ** 2, torch.ones(2)).value, 4)
        8.0
    """
    found = _extreme("smoothness", function, point, torch.abs, max_steps, tol, generator)
    return found._replace(value=abs(found.value))


@takes_arrays
def lowest_curvature(
    function: VectorObjective,
    point: Tensor,
    *,
    max_steps: int = 500,
    tol: float = 1e-8,
    generator: torch.Generator | None = None,
) -> Curvature:
    r"""Return the lowest eigenvalue of the Hessian: negative where the surface bends downwards.

    On a convex quadratic it is the constant :math:`\mu` of strong convexity and of the PL inequality.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        max_steps: Most products.
        tol: Bound of the error, relative to the estimate, at which to stop.
        generator: Source of the first direction; by default a fixed one.

    Example:
        >>> round(lowest_curvature(lambda w: 3 * w[0] ** 2 - 4 * w[1] ** 2, torch.ones(2)).value, 4)
        -8.0
    """
    return _extreme("lowest_curvature", function, point, torch.neg, max_steps, tol, generator)


def _extreme(
    owner: str,
    function: VectorObjective,
    point: Tensor,
    prefer: Callable[[Tensor], Tensor],
    max_steps: int,
    tol: float,
    generator: torch.Generator | None,
) -> Curvature:
    require(max_steps >= 1, f"{owner}: max_steps must be at least 1", max_steps, "Try 500.")
    generator = generator or torch.Generator(point.device).manual_seed(0)
    start = torch.randn(point.shape, generator=generator, dtype=point.dtype, device=point.device)
    product = hessian_product(function, point)
    return Curvature(*extreme_eigenpair(product, start, prefer, max_steps=max_steps, tol=tol))
