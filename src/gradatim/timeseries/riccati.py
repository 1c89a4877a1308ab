r"""The covariances of the Kalman filter, many steps at a time, and where they end.

Observing :math:`s` more steps maps the covariance :math:`P_t` of the filtered state to

.. math:: P_{t+s}=F_s(I+P_tJ_s)^{-1}P_tF_s^\top+U_s

and two such maps in a row are one of the same form, so :math:`F,U,J` for 1, 2, 4, 8, … steps follow from
each other, and each doubles the number of known covariances. From :math:`P=0` the map gives
:math:`U_s`, which tends to the steady state, the solution of the discrete algebraic Riccati equation.

Reference:
    Anderson, Second-order convergent algorithms for the steady-state Riccati equation, 1978;
    Särkkä and García-Fernández, Temporal parallelization of Bayesian smoothers, 2021, lemma 8.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import InvalidValue

DOUBLINGS = 40


class Steps(NamedTuple):
    """The map of some number of steps: ``F`` forgets, ``U`` is the noise gained, ``J`` the information."""

    F: Tensor
    U: Tensor
    J: Tensor


def one_step(A: Tensor, C: Tensor, Q: Tensor, R: Tensor) -> Steps | None:
    """The map of one step of prediction and update; ``None`` if it needs the inverse of a singular matrix."""
    innovation, failed = torch.linalg.cholesky_ex(C @ Q @ C.T + R)
    if failed:
        return None
    K = torch.cholesky_solve(C @ Q, innovation).T
    CA = C @ A
    return Steps(A - K @ CA, _symmetric(Q - K @ C @ Q), CA.T @ torch.cholesky_solve(CA, innovation))


def twice(steps: Steps) -> Steps:
    """The map of a stretch followed by an equally long one."""
    F, U, J = steps
    eye = torch.eye(len(F), dtype=F.dtype, device=F.device)
    kept = torch.linalg.solve(eye + U @ J, torch.cat([F, U], 1))  # (n, 2n)
    gained = torch.linalg.solve(eye + J @ U, J @ F)
    return Steps(
        F @ kept[:, : len(F)],
        _symmetric(F @ kept[:, len(F) :] @ F.T + U),
        _symmetric(F.T @ gained + J),
    )


def advance(steps: Steps, P: Tensor) -> Tensor:
    """Covariances after the steps, from covariances ``P`` before them, shape ``(..., n, n)``."""
    F, U, J = steps
    eye = torch.eye(len(F), dtype=F.dtype, device=F.device)
    return _symmetric(F @ torch.linalg.solve(eye + P @ J, P @ F.T) + U)


def filtered_covariances(steps: Steps, first: Tensor, num_steps: int) -> Tensor:
    """Covariances of the filtered states until they stand still.

    Args:
        steps: The map of one step.
        first: Covariance after the first observation, shape ``(n, n)``.
        num_steps: How many are wanted.

    Returns:
        Shape ``(k, n, n)`` with ``k <= num_steps``; the last holds for all later steps, and so does its
        prediction, which is the last but one's.
    """
    P = first[None]
    while len(P) < num_steps:
        known = len(P)
        P = torch.cat([P, advance(steps, P)])
        if _agree(P[known - 1], P[-1]):
            return P[: min(_first_agreement(P) + 2, num_steps)]  # two that are the same end it
        steps = twice(steps)
    return P[:num_steps]


def steady_covariance(A: Tensor, C: Tensor, Q: Tensor, R: Tensor) -> Tensor:
    r"""The covariance of the filtered state after infinitely many observations, whatever it was at first."""
    steps = one_step(A, C, Q, R)
    for _ in range(DOUBLINGS if steps is not None else 0):
        later = twice(steps)  # type: ignore[arg-type]
        if _agree(steps.U, later.U) and later.F.detach().abs().max() < 1e-3:  # type: ignore[union-attr]
            return later.U
        steps = later
    raise InvalidValue(
        "LinearDynamicalSystem: a steady state needs every part of the state that does not fade by itself to "
        "show in the observations (detectability) and to be moved by noise, got a system without one. "
        "Filter with a finite cov0 instead."
    )


def _first_agreement(P: Tensor) -> int:
    """Index of the first matrix that is the same as the last to rounding, of a sequence that tends to it."""
    low, high = 0, len(P) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if _agree(P[middle], P[-1]) else (middle + 1, high)
    return low


def _agree(before: Tensor, after: Tensor) -> bool:
    """Whether two matrices are the same to rounding."""
    slack = 8 * torch.finfo(after.dtype).eps * after.detach().abs().max()
    return bool(slack.isfinite() and (after - before).detach().abs().max() <= slack)


def _symmetric(P: Tensor) -> Tensor:
    return (P + P.mT) / 2
