"""The largest and the lowest curvature of an objective, by power iteration on Hessian-vector products."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.instruments.vector_objective import VectorObjective


class Curvature(NamedTuple):
    """An eigenvalue of the Hessian, its unit eigenvector, the products spent, and whether they sufficed."""

    value: float
    direction: Tensor
    steps: int
    is_converged: bool


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


def smoothness(
    function: VectorObjective,
    point: Tensor,
    *,
    max_steps: int = 500,
    tol: float = 1e-8,
    generator: torch.Generator | None = None,
) -> Curvature:
    r"""Return the smoothness :math:`L=\lVert\nabla^2h(\theta)\rVert_2` at a point.

    .. math:: v_{k+1} = \frac{\nabla^2h(\theta)\,v_k}{\lVert\nabla^2h(\theta)\,v_k\rVert}, \qquad
        L = \lim_k \lVert\nabla^2h(\theta)\,v_k\rVert

    :math:`L` is the largest eigenvalue by magnitude, without its sign, and never over-estimated. Descent is safe
    with :math:`\eta<2/L`, if :math:`L` holds all along the way and not only here.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        max_steps: Most products.
        tol: Relative change of the estimate at which to stop.
        generator: Source of the first direction; by default a fixed one.

    Example:
        >>> round(smoothness(lambda w: 3 * w[0] ** 2 - 4 * w[1] ** 2, torch.ones(2)).value, 4)
        8.0
    """
    return _power(hessian_product(function, point), point, max_steps, tol, generator, "smoothness")


def lowest_curvature(
    function: VectorObjective,
    point: Tensor,
    *,
    max_steps: int = 500,
    tol: float = 1e-8,
    generator: torch.Generator | None = None,
) -> Curvature:
    r"""Return the lowest eigenvalue of the Hessian: negative where the surface bends downwards.

    Power iteration on :math:`L I-\nabla^2h`, whose largest eigenvalue is :math:`L-\lambda_{\min}`. On a convex
    quadratic it is the constant :math:`\mu` of strong convexity and of the PL inequality.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        max_steps: Most products, for each of the two runs.
        tol: Relative change of the estimate at which to stop.
        generator: Source of the first directions; by default a fixed one.

    Example:
        >>> round(lowest_curvature(lambda w: 3 * w[0] ** 2 - 4 * w[1] ** 2, torch.ones(2)).value, 4)
        -8.0
    """
    product = hessian_product(function, point)
    owner = "lowest_curvature"
    top = _power(product, point, max_steps, tol, generator, owner)
    shifted = _power(lambda v: top.value * v - product(v), point, max_steps, tol, generator, owner)
    return Curvature(
        top.value - shifted.value,
        shifted.direction,
        top.steps + shifted.steps,
        top.is_converged and shifted.is_converged,
    )


def _power(
    product: Callable[[Tensor], Tensor],
    point: Tensor,
    max_steps: int,
    tol: float,
    generator: torch.Generator | None,
    owner: str,
) -> Curvature:
    if max_steps < 1:
        raise InvalidValue(f"{owner}: max_steps must be at least 1, got {max_steps}. Try 500.")
    generator = generator or torch.Generator(point.device).manual_seed(0)
    v = torch.randn(point.shape, generator=generator, dtype=point.dtype, device=point.device)
    v, value = v / v.norm(), 0.0
    tol = max(tol, 4 * torch.finfo(point.dtype).eps)
    for k in range(1, max_steps + 1):
        image = product(v)
        last, value = value, image.norm().item()
        if value == 0:
            return Curvature(0.0, v, k, True)
        v = image / value
        if abs(value - last) <= tol * value:
            return Curvature(value, v, k, True)
    return Curvature(value, v, max_steps, False)
