"""What theory promises about gradient descent, and what it does."""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue
from gradatim.instruments.vector_objective import VectorObjective, value_and_gradient


class DescentPath(NamedTuple):
    """Points that descent visits, shape ``(T + 1, d)``, with value and gradient norm at each."""

    points: Tensor
    values: Tensor
    gradient_norms: Tensor


class Decrease(NamedTuple):
    """How much one step lowered the objective, and how much theory guarantees."""

    measured: float
    guaranteed: float


@takes_arrays
def descend(function: VectorObjective, start: Tensor, *, lr: float, steps: int) -> DescentPath:
    r"""Follow :math:`\theta_{t+1}=\theta_t-\eta\nabla h(\theta_t)` and record values and gradient norms.

    Args:
        function: :math:`h`, a scalar function of a vector.
        start: :math:`\theta_0`, shape ``(d,)``.
        lr: :math:`\eta`.
        steps: :math:`T`.

    Example:
        >>> path = descend(lambda w: w.square().sum(), torch.tensor([1.0]), lr=0.25, steps=2)
        >>> path.values, path.gradient_norms
        (tensor([1.0000, 0.2500, 0.0625]), tensor([2.0000, 1.0000, 0.5000]))
    """
    points, values, norms = [start.detach()], [], []
    for t in range(steps + 1):
        value, gradient = value_and_gradient(function, points[-1])
        values.append(value)
        norms.append(gradient.norm())
        if t < steps:
            points.append(points[-1] - lr * gradient)
    return DescentPath(torch.stack(points), torch.stack(values), torch.stack(norms))


@takes_arrays
def sufficient_decrease(
    function: VectorObjective, point: Tensor, *, lr: float, smoothness: float
) -> Decrease:
    r"""Compare the decrease of one step with the least that :math:`L`-smoothness allows.

    .. math:: h(\theta) - h(\theta-\eta\nabla h) \;\ge\; \eta\Bigl(1-\frac{\eta L}2\Bigr)\lVert\nabla h\rVert^2

    At :math:`\eta=1/L` the right-hand side is largest, :math:`\lVert\nabla h\rVert^2/2L`; beyond :math:`2/L` it is
    negative and promises nothing.

    Args:
        function: :math:`h`, a scalar function of a vector.
        point: :math:`\theta`, shape ``(d,)``.
        lr: :math:`\eta`.
        smoothness: :math:`L`, valid along the step.

    Example:
        >>> sufficient_decrease(lambda w: w.square().sum(), torch.tensor([1.0]), lr=0.5, smoothness=2.0)
        Decrease(measured=1.0, guaranteed=1.0)
    """
    before, gradient = value_and_gradient(function, point)
    with torch.no_grad():
        after = function(point.detach() - lr * gradient)
    squared = gradient.square().sum().item()
    guaranteed = lr * (1 - lr * smoothness / 2) * squared
    return Decrease((before - after).item(), guaranteed)


def steps_to_critical_point(*, smoothness: float, gap: float, eps: float) -> int:
    r"""Return the steps after which descent with :math:`\eta=1/L` has met a gradient of norm :math:`\epsilon` or less.

    .. math:: T = \left\lceil\frac{2L\,(h(\theta_0)-h^*)}{\epsilon^2}\right\rceil

    Args:
        smoothness: :math:`L`.
        gap: :math:`h(\theta_0)-h^*`.
        eps: :math:`\epsilon`.

    Example:
        >>> steps_to_critical_point(smoothness=4.0, gap=2.0, eps=0.1)
        1600
    """
    for name, value in (("smoothness", smoothness), ("gap", gap)):
        if not value >= 0:
            raise InvalidValue(f"steps_to_critical_point: {name} must be at least 0, got {value}.")
    if not eps > 0:
        raise InvalidValue(f"steps_to_critical_point: eps must be more than 0, got {eps}.")
    steps = 2 * smoothness * gap / eps**2
    # 1600.0000000000002 steps are 1600
    return math.ceil(steps * (1 - 1e-12))


def pl_constant(path: DescentPath, *, minimum: float = 0.0) -> float:
    r"""Return the largest :math:`\mu` for which the PL inequality holds at all points of a path.

    .. math:: \tfrac12\lVert\nabla h(\theta)\rVert^2 \ge \mu\,(h(\theta)-h^*)

    Args:
        path: Record of :func:`descend`.
        minimum: :math:`h^*`.

    Example:
        >>> path = descend(lambda w: w.square().sum(), torch.tensor([1.0]), lr=0.25, steps=2)
        >>> pl_constant(path)
        2.0
    """
    gaps = path.values - minimum
    if (gaps < 0).any():
        raise InvalidValue(
            f"pl_constant: minimum must lie below all values, got {minimum} above {path.values.min():g}."
        )
    kept = gaps > 0
    if not kept.any():
        return math.inf
    return (path.gradient_norms[kept].square() / (2 * gaps[kept])).min().item()


def pl_bound(*, gap: float, mu: float, smoothness: float, steps: int) -> Tensor:
    r"""Return the bound :math:`(1-\mu/L)^t\,(h(\theta_0)-h^*)` on the gap after :math:`t=0,\dots,T` steps of :math:`1/L`.

    Args:
        gap: :math:`h(\theta_0)-h^*`.
        mu: :math:`\mu`, in [0, L].
        smoothness: :math:`L`.
        steps: :math:`T`.

    Example:
        >>> pl_bound(gap=8.0, mu=1.0, smoothness=2.0, steps=3)
        tensor([8., 4., 2., 1.], dtype=torch.float64)
    """
    if not 0 <= mu <= smoothness or smoothness == 0:
        raise InvalidValue(
            f"pl_bound: mu must be in [0, smoothness], got {mu} and smoothness {smoothness}."
        )
    return gap * (1 - mu / smoothness) ** torch.arange(steps + 1, dtype=torch.float64)
