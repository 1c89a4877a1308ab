"""Levenberg-Marquardt for many small least-squares problems at once."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

LOWEST_DAMPING, HIGHEST_DAMPING = 1e-14, 1e9

Model = Callable[[Tensor], tuple[Tensor, Tensor]]
"""From parameters ``(R, p)`` to outputs ``(R, N)`` and their Jacobians ``(R, N, p)``."""


class LMState(NamedTuple):
    """Parameters ``(R, p)``, damping and mean squared error ``(R,)``, residuals and Jacobians."""

    params: Tensor
    damping: Tensor
    loss: Tensor
    residual: Tensor
    jacobian: Tensor


class LMInfo(NamedTuple):
    """Which replicas took their step, and the loss their step led to; both ``(R,)``."""

    accepted: Tensor
    proposed_loss: Tensor


def init(params: Tensor, model: Model, y: Tensor) -> LMState:
    """Start from ``params`` with moderate damping."""
    outputs, jacobian = model(params)
    residual = outputs - y
    loss = residual.square().mean(dim=1)
    return LMState(params, torch.full_like(loss, 0.1), loss, residual, jacobian)


def step(state: LMState, model: Model, y: Tensor) -> tuple[LMState, LMInfo]:
    r"""One damped Gauss-Newton step of every replica; a step that raises its loss is not taken.

    .. math::
        \theta \leftarrow \theta - \left(\tfrac1N J^\top J + \lambda I\right)^{-1} \tfrac1N J^\top r,
        \qquad r_n = f_\theta(x_n) - y_n

    The damping :math:`\lambda` falls to a third after success and doubles after failure.

    Args:
        state: From :func:`init` or the step before.
        model: Outputs and Jacobian for given parameters.
        y: Targets, shape ``(N,)``.

    Example:
        >>> line = lambda w: (w * torch.tensor([1.0, 2.0]), torch.tensor([[[1.0], [2.0]]]))
        >>> state = init(torch.zeros(1, 1), line, y := torch.tensor([3.0, 6.0]))
        >>> for _ in range(20):
        ...     state, info = step(state, line, y)
        >>> round(state.params.item(), 4)
        3.0
    """
    proposal = state.params - _damped_solve(state.jacobian, state.residual, state.damping)
    outputs, jacobian = model(proposal)
    residual = outputs - y
    loss = residual.square().mean(dim=1)
    accepted = loss < state.loss  # false for a loss that is not a number
    damping = torch.where(accepted, state.damping / 3.0, state.damping * 2.0)
    following = LMState(
        torch.where(accepted[:, None], proposal, state.params),
        damping.clamp(LOWEST_DAMPING, HIGHEST_DAMPING),
        torch.where(accepted, loss, state.loss),
        torch.where(accepted[:, None], residual, state.residual),
        torch.where(accepted[:, None, None], jacobian, state.jacobian),
    )
    return following, LMInfo(accepted, loss)


def is_stuck(state: LMState) -> bool:
    """Whether no replica finds a way down any more."""
    return bool((state.damping >= HIGHEST_DAMPING).all())


def _damped_solve(jacobian: Tensor, residual: Tensor, damping: Tensor) -> Tensor:
    r"""Solve :math:`(J^\top J / N + \lambda I)\,\delta = J^\top r / N` in the smaller of its two forms."""
    num_points, num_params = jacobian.shape[1:]
    transposed = jacobian.transpose(1, 2) / num_points
    is_tall = num_points >= num_params
    matrix = transposed @ jacobian if is_tall else jacobian @ transposed
    matrix.diagonal(dim1=1, dim2=2).add_(damping[:, None])
    right = (transposed @ residual[..., None]) if is_tall else residual[..., None]
    factor, _ = torch.linalg.cholesky_ex(matrix)  # a failed factor gives a loss that is refused
    solution = torch.cholesky_solve(right, factor)
    return (solution if is_tall else transposed @ solution).squeeze(2)
