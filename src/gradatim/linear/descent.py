r"""Gradient descent on least squares, and the curvature that sets its pace.

.. math::
    E(w)=\frac1N\lVert Xw-y\rVert^2, \qquad \nabla E=\frac2N X^\top(Xw-y), \qquad H=\frac2N X^\top X

With eigenvalues :math:`\mu\le\dots\le L` of :math:`H`, steps :math:`\eta<2/L` converge, and at
:math:`\eta=1/L` the slowest error shrinks by :math:`1-\mu/L` a step: the condition number
:math:`\kappa=L/\mu` counts the steps. Every step lies in the row space of :math:`X`, so descent from
zero ends at the solution of least norm, :math:`X^+y`.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import require
from gradatim.linear.inputs import Array, as_design, as_target


class Descent(NamedTuple):
    """Where gradient descent ended, and the loss before each step."""

    weight: Tensor
    losses: Tensor
    has_converged: bool


def with_ones(X: Array) -> Tensor:
    """Append a column of ones, so that the last weight is the bias.

    Args:
        X: Design matrix, shape ``(N, d)``.

    Example:
        >>> with_ones(torch.tensor([[5.0], [6.0]]))
        tensor([[5., 1.],
                [6., 1.]], dtype=torch.float64)
    """
    design = as_design("with_ones", X)
    return torch.cat([design, torch.ones(len(design), 1, dtype=design.dtype)], dim=1)  # (N, d + 1)


def hessian_eigenvalues(X: Array) -> Tensor:
    r"""Eigenvalues of :math:`\frac2N X^\top X`, the Hessian of the mean squared error, ascending.

    Args:
        X: Design matrix, shape ``(N, d)``.

    Example:
        >>> hessian_eigenvalues(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
        tensor([1., 4.], dtype=torch.float64)
    """
    design = as_design("hessian_eigenvalues", X)
    singular = torch.linalg.svdvals(design).flip(0)
    missing = torch.zeros(design.shape[1] - len(singular), dtype=singular.dtype)
    return 2 / len(design) * torch.cat([missing, singular.square()])


def hessian_condition(X: Array) -> float:
    r"""Condition number :math:`\kappa=L/\mu` of the Hessian; infinite for dependent columns.

    Args:
        X: Design matrix, shape ``(N, d)``.

    Example:
        >>> hessian_condition(torch.tensor([[2.0, 0.0], [0.0, 1.0]]))
        4.0
    """
    eigenvalues = hessian_eigenvalues(X)
    largest, smallest = eigenvalues[-1].item(), eigenvalues[0].item()
    return largest / smallest if smallest > 1e-30 * largest else float("inf")


def descend_least_squares(
    X: Array,
    y: Array,
    *,
    lr: float | None = None,
    max_steps: int = 10_000,
    start: Tensor | None = None,
    tol: float = 1e-10,
) -> Descent:
    r"""Minimize the mean squared error by :math:`w\leftarrow w-\eta\nabla E(w)`, without a bias.

    Args:
        X: Design matrix, shape ``(N, d)``; append :func:`with_ones` for a bias.
        y: Targets, shape ``(N,)`` or ``(N, K)``.
        lr: Step :math:`\eta`; :math:`1/L` by default.
        max_steps: Most steps to take.
        start: First weights; zero by default.
        tol: Stop when the gradient norm has shrunk by this factor.

    Example:
        >>> X, y = torch.tensor([[1.0, 1.0]]), torch.tensor([2.0])  # one equation, two unknowns
        >>> descend_least_squares(X, y).weight
        tensor([1.0000, 1.0000], dtype=torch.float64)
    """
    design = as_design("descend_least_squares", X)
    target = as_target("descend_least_squares", y, len(design))
    require(lr is None or lr > 0, "descend_least_squares: lr must be positive", lr, "Leave it out.")
    eta = 1 / hessian_eigenvalues(design)[-1].item() if lr is None else lr
    shape = (design.shape[1], *target.shape[1:])
    weight = torch.zeros(shape, dtype=design.dtype) if start is None else start.detach().double()
    losses, goal, has_converged = [], 0.0, False
    for step in range(max_steps + 1):
        residual = design @ weight - target
        losses.append(residual.square().sum() / len(design))
        gradient = design.T @ residual * (2 / len(design))
        norm = gradient.norm().item()
        goal = tol * norm if step == 0 else goal
        if norm <= goal:
            has_converged = True
            break
        if step < max_steps:
            weight = weight - eta * gradient
    return Descent(weight, torch.stack(losses), has_converged)
