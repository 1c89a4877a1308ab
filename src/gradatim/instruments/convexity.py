"""What convexity alone promises: rates without curvature, and a test along segments."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.instruments.convergence import DescentPath
from gradatim.instruments.vector_objective import VectorObjective, value_and_gradient


@takes_arrays
def descend_accelerated(
    function: VectorObjective, start: Tensor, *, lr: float, steps: int
) -> DescentPath:
    r"""Nesterov's acceleration for convex functions whose lowest curvature nobody knows.

    .. math::
        \chi_t = \theta_t + \frac{t-1}{t+2}\,(\theta_t-\theta_{t-1}), \qquad \theta_{t+1} = \chi_t - \eta\nabla h(\chi_t)

    Args:
        function: :math:`h`, a convex scalar function of a vector.
        start: :math:`\theta_0=\theta_{-1}`, shape ``(d,)``.
        lr: :math:`\eta`, at most 1/L.
        steps: Updates.

    Returns:
        The :math:`\theta_t`, with the values and gradient norms there.

    Example:
        >>> path = descend_accelerated(lambda w: w.square().sum(), torch.tensor([1.0]), lr=0.25, steps=2)
        >>> path.points.flatten()  # χ is 1, then 0.5
        tensor([1.0000, 0.5000, 0.2500])
    """
    before, points = start.detach(), [start.detach()]
    for t in range(steps):
        theta = points[-1]
        ahead = theta + max(t - 1, 0) / (t + 2) * (theta - before)
        before = theta
        points.append(ahead - lr * value_and_gradient(function, ahead)[1])
    seen = [value_and_gradient(function, point) for point in points]
    values = torch.stack([value for value, _ in seen])
    return DescentPath(torch.stack(points), values, torch.stack([g.norm() for _, g in seen]))


def convex_bound(
    *, distance: float, smoothness: float, steps: int, is_accelerated: bool = False
) -> Tensor:
    r"""What smoothness and convexity promise of the gap after :math:`t=1,\dots,T` steps of :math:`1/L`.

    .. math:: h(\theta_t)-h^* \le \frac{L\lVert\theta_0-\theta^*\rVert^2}{2t} \qquad\text{or, accelerated,}\qquad \frac{2L\lVert\theta_0-\theta^*\rVert^2}{(t+1)^2}

    Args:
        distance: :math:`\lVert\theta_0-\theta^*\rVert`.
        smoothness: :math:`L`.
        steps: :math:`T`.
        is_accelerated: Whether the steps are those of :func:`descend_accelerated`.

    Example:
        >>> convex_bound(distance=2.0, smoothness=1.0, steps=2), convex_bound(distance=2.0, smoothness=1.0, steps=2, is_accelerated=True)
        (tensor([2., 1.], dtype=torch.float64), tensor([2.0000, 0.8889], dtype=torch.float64))

    Reference:
        Nesterov, Introductory Lectures on Convex Optimization, 2004, 2.1.5 and 2.2.1.
    """
    for name, value in (("distance", distance), ("smoothness", smoothness)):
        require(value >= 0, f"convex_bound: {name} must be at least 0", value)
    require(steps >= 1, "convex_bound: steps must be at least 1", steps)
    t = torch.arange(1, steps + 1, dtype=torch.float64)
    scale = smoothness * distance**2
    return 2 * scale / (t + 1) ** 2 if is_accelerated else scale / (2 * t)


@takes_arrays
def chord_excess(
    function: VectorObjective, starts: Tensor, ends: Tensor, *, resolution: int = 9
) -> Tensor:
    r"""How far a function rises above its chords: a positive number refutes convexity.

    .. math:: \max_{0<t<1}\; h\bigl((1-t)a+tb\bigr) - (1-t)\,h(a) - t\,h(b)

    A convex function has no segment with a positive excess. Many segments without one prove nothing: they only fail to refute.

    Args:
        function: :math:`h`, in operations that ``torch.func.vmap`` knows.
        starts: Points :math:`a`, shape ``(N, d)``.
        ends: Points :math:`b`, shape ``(N, d)``.
        resolution: Inner points of a segment that are tried, equally spaced.

    Returns:
        The largest excess of every segment, shape ``(N,)``.

    Example:
        >>> a, b = torch.tensor([[-1.0]]), torch.tensor([[1.0]])
        >>> chord_excess(lambda w: w.square().sum(), a, b), chord_excess(lambda w: -w.square().sum(), a, b)
        (tensor([-0.3600]), tensor([1.]))
    """
    require(starts.shape == ends.shape and starts.dim() == 2, "chord_excess: starts and ends must be two matrices of one shape", f"{tuple(starts.shape)} and {tuple(ends.shape)}")  # fmt: skip
    require(resolution >= 1, "chord_excess: resolution must be at least 1", resolution)
    t = torch.linspace(0, 1, resolution + 2, dtype=starts.dtype, device=starts.device)[:, None]
    points = starts[:, None] * (1 - t) + ends[:, None] * t  # (N, points + 2, d)
    with torch.no_grad():
        values = torch.func.vmap(torch.func.vmap(function))(points)
    chords = values[:, :1] * (1 - t.T) + values[:, -1:] * t.T
    return (values - chords)[:, 1:-1].amax(1)
