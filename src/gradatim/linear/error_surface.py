r"""Error surfaces over two weights, the paths of gradient descent on them, and where they are flat.

.. math::
    E_{\text{bowl}}(w)=(w_1-2)^2+2(w_2+1)^2, \qquad
    E_{\text{ripples}}(w)=(w_1-1)^2+(w_2+\tfrac12)^2+A\sin 3w_1\,\sin 3w_2
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require

Surface = Callable[[Tensor], Tensor]
Box = tuple[tuple[float, float], tuple[float, float]]


@takes_arrays
def bowl(w: Tensor) -> Tensor:
    r"""Convex surface :math:`(w_1-2)^2+2(w_2+1)^2` with its minimum 0 at (2, −1).

    Args:
        w: Weights, shape ``(..., 2)``.

    Example:
        >>> bowl(torch.tensor([2.0, -1.0]))
        tensor(0.)
    """
    return (w[..., 0] - 2).square() + 2 * (w[..., 1] + 1).square()


@takes_arrays
def rippled_bowl(w: Tensor, *, amplitude: float = 0.6) -> Tensor:
    r"""Non-convex surface :math:`(w_1-1)^2+(w_2+\frac12)^2+A\sin3w_1\sin3w_2`.

    At :math:`A=0.6` it bends downwards in places and still has one stationary point; at 1 it has 4
    minima and at 1.5 it has 9.

    Args:
        w: Weights, shape ``(..., 2)``.
        amplitude: Height :math:`A` of the ripples.

    Example:
        >>> rippled_bowl(torch.tensor([0.0, 0.0]))
        tensor(1.2500)
    """
    ripples = torch.sin(3 * w[..., 0]) * torch.sin(3 * w[..., 1])
    return (w[..., 0] - 1).square() + (w[..., 1] + 0.5).square() + amplitude * ripples


@takes_arrays
def descent_path(surface: Surface, start: Tensor, *, lr: float, steps: int) -> Tensor:
    r"""Follow :math:`w_{k+1}=w_k-\eta\nabla E(w_k)` from one or many starts at once.

    Args:
        surface: Error :math:`E` of weights of shape ``(..., d)``, such as a surface over two.
        start: First weights, shape ``(..., d)``.
        lr: Step :math:`\eta`.
        steps: Number of steps.

    Returns:
        All weights on the way, shape ``(steps + 1, ..., d)``.

    Example:
        >>> descent_path(bowl, torch.tensor([0.0, 0.0]), lr=0.25, steps=2)[-1]
        tensor([ 1.5000, -1.0000])
    """
    path = [start.detach()]
    for _ in range(steps):
        w = path[-1].clone().requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(surface(w).sum(), w)
        path.append(path[-1] - lr * gradient)
    return torch.stack(path)


class StationaryPoints(NamedTuple):
    """Points with zero gradient, by ascending error; minima have only positive curvatures."""

    points: Tensor
    values: Tensor
    curvatures: Tensor

    @property
    def num_minima(self) -> int:
        """How many of the points are minima."""
        return int((self.curvatures > 0).all(dim=1).sum())


def _grid(box: Box, resolution: int) -> Tensor:
    """Centres of ``resolution`` × ``resolution`` equal cells, shape ``(resolution², 2)``."""
    require(resolution >= 1, "error surface: resolution must be at least 1", resolution, "Try 50.")
    offsets = (torch.arange(resolution, dtype=torch.float64) + 0.5) / resolution
    axes = [low + (high - low) * offsets for low, high in box]
    return torch.cartesian_prod(*axes)


def stationary_points(
    surface: Surface, box: Box, *, resolution: int = 40, steps: int = 60
) -> StationaryPoints:
    r"""Find the points with :math:`\nabla E=0` in a box by Newton's method from a grid of starts.

    Args:
        surface: Error of weights of shape ``(..., 2)``, twice differentiable.
        box: ``((low, high), (low, high))`` of the two weights.
        resolution: Starts along each axis.
        steps: Newton steps from each start.

    Example:
        >>> stationary_points(bowl, ((-3, 3), (-3, 3))).points
        tensor([[ 2., -1.]], dtype=torch.float64)
    """
    gradient = torch.func.vmap(torch.func.grad(surface))
    hessian = torch.func.vmap(torch.func.jacrev(torch.func.grad(surface)))
    w = _grid(box, resolution)
    for _ in range(steps):
        w = w - torch.linalg.lstsq(hessian(w), gradient(w)[..., None]).solution[..., 0]
        w = w.clamp(-1e6, 1e6)
    low, high = torch.tensor(box, dtype=w.dtype).T
    kept = (gradient(w).norm(dim=1) < 1e-9) & ((w >= low) & (w <= high)).all(dim=1)
    unique = torch.unique((w[kept] * 1e6).round() / 1e6, dim=0)
    unique = unique[surface(unique).argsort()]
    return StationaryPoints(unique, surface(unique), torch.linalg.eigvalsh(hessian(unique)))


def cells_without_proof(
    surface: Surface, box: Box, *, lipschitz: float, resolution: int = 400
) -> Tensor:
    r"""Centres of the grid cells that may hold a stationary point; every other cell provably holds none.

    A gradient with Lipschitz constant :math:`K` cannot vanish within :math:`r` of a point where
    :math:`\lVert\nabla E\rVert>Kr`; :math:`r` is half the diagonal of a cell.

    Args:
        surface: Error of weights of shape ``(..., 2)``.
        box: ``((low, high), (low, high))`` of the two weights.
        lipschitz: :math:`K`, a bound on the norm of the Hessian.
        resolution: Cells along each axis.

    Returns:
        Centres, shape ``(n, 2)``.

    Example:
        >>> cells = cells_without_proof(bowl, ((-3, 3), (-3, 3)), lipschitz=4.0)
        >>> bool(((cells - torch.tensor([2.0, -1.0])).norm(dim=1) < 0.03).all())
        True
    """
    centers = _grid(box, resolution)
    radius = sum(((high - low) / resolution / 2) ** 2 for low, high in box) ** 0.5
    gradient = torch.func.vmap(torch.func.grad(surface))(centers)
    return centers[gradient.norm(dim=1) <= lipschitz * radius]
