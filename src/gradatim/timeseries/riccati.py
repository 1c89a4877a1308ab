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

from collections.abc import Callable
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
    """The map of one step of prediction and update; ``None`` if it needs the inverse of a singular matrix.

    ``C`` and ``R`` may be batches of observations, shape ``(..., m, n)`` and ``(..., m, m)``.
    """
    innovation, failed = torch.linalg.cholesky_ex(C @ Q @ C.mT + R)
    if failed.any():
        return None
    K = torch.cholesky_solve(C @ Q, innovation).mT
    CA = C @ A
    J = CA.mT @ torch.cholesky_solve(CA, innovation)
    return Steps(A - K @ CA, _symmetric(Q - K @ C @ Q), J)


def then(first: Steps, second: Steps) -> Steps:
    """The map of a stretch followed by another, shape ``(..., n, n)`` each."""
    (F, U, J), (G, V, W) = first, second
    n = F.shape[-1]
    eye = torch.eye(n, dtype=F.dtype, device=F.device)
    kept = torch.linalg.solve(eye + U @ W, torch.cat([F, U], -1))  # (..., n, 2n)
    gained = torch.linalg.solve(eye + W @ U, W @ F)
    return Steps(
        G @ kept[..., :n],
        _symmetric(G @ kept[..., n:] @ G.mT + V),
        _symmetric(F.mT @ gained + J),
    )


def advance(steps: Steps, P: Tensor) -> Tensor:
    """Covariances after the steps, from covariances ``P`` before them, shape ``(..., n, n)``."""
    F, U, J = steps
    eye = torch.eye(F.shape[-1], dtype=F.dtype, device=F.device)
    return _symmetric(F @ torch.linalg.solve(eye + P @ J, P @ F.mT) + U)


def filtered_covariances(
    steps: Steps, first: Tensor, num_steps: int, predict: Callable[[Tensor], Tensor]
) -> Tensor:
    """Covariances of the filtered states until they stand still.

    Args:
        steps: The map of one step.
        first: Covariance after the first observation, shape ``(n, n)``.
        num_steps: How many are wanted.
        predict: From such a covariance, that before the observation, whose size :func:`agree` needs.

    Returns:
        Shape ``(k, n, n)`` with ``k <= num_steps``; the last holds for all later steps, and so does its
        prediction, which is the last but one's.
    """
    P = first[None]
    while len(P) < num_steps:
        known = len(P)
        P = torch.cat([P, advance(steps, P)])
        before = predict(P[-1])
        if agree(P[known - 1], P[-1], before):
            # two that are the same end it
            return P[: min(_first_agreement(P, before) + 2, num_steps)]
        steps = then(steps, steps)
    return P[:num_steps]


def steady_covariance(A: Tensor, C: Tensor, Q: Tensor, R: Tensor) -> Tensor:
    r"""The covariance of the filtered state after infinitely many observations, whatever it was at first."""
    steps = one_step(A, C, Q, R)
    for _ in range(DOUBLINGS if steps is not None else 0):
        later = then(steps, steps)  # type: ignore[arg-type]
        stands = agree(steps.U, later.U, A @ later.U @ A.T + Q)  # type: ignore[union-attr]
        if stands and later.F.detach().abs().max() < 1e-3:
            return later.U
        steps = later
    raise InvalidValue(
        "LinearDynamicalSystem: a steady state needs every part of the state that does not fade by itself to "
        "show in the observations (detectability) and to be moved by noise, got a system without one. "
        "Filter with a finite cov0 instead."
    )


def _first_agreement(P: Tensor, before: Tensor) -> int:
    """Index of the first matrix that is the same as the last to rounding, of a sequence that tends to it."""
    low, high = 0, len(P) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if agree(P[middle], P[-1], before) else (middle + 1, high)
    return low


def agree(P: Tensor, later: Tensor, before: Tensor) -> bool:
    r"""Whether two covariances are the same to rounding, in the units of each state.

    .. math:: |P'_{ij}-P_{ij}|\le8\epsilon\sqrt{P^-_{ii}P^-_{jj}}

    Entries are compared with the size of their own states, so that a state of small numbers is not held for
    settled beside one of large ones; and with the covariance ``before`` the observation, since an
    observation without noise leaves nothing but the rounding of what it took away.
    """
    spread = before.detach().diagonal().clamp(min=0).sqrt()
    slack = 8 * torch.finfo(P.dtype).eps * spread[:, None] * spread
    return bool(slack.isfinite().all() and ((later - P).detach().abs() <= slack).all())


def _symmetric(P: Tensor) -> Tensor:
    return (P + P.mT) / 2
