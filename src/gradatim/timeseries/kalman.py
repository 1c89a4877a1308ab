r"""The Kalman filter, along many sequences at once.

.. math::
    \hat h^-_t=A\hat h_{t-1}+Bx_t,\qquad P^-_t=AP_{t-1}A^\top+Q,\qquad
    K_t=P^-_tC^\top(CP^-_tC^\top+R)^{-1}

.. math::
    \hat h_t=\hat h^-_t+K_t(y_t-C\hat h^-_t),\qquad P_t=(I-K_tC)P^-_t

At the first step :math:`\hat h^-_0=\mu_0` and :math:`P^-_0=P_0`, without an input. The Joseph form
:math:`P_t=(I-K_tC)P^-_t(I-K_tC)^\top+K_tRK_t^\top` is the same on paper and keeps its digits, and its
positive diagonal, where :math:`P^-_t` is huge.

Covariances and gains do not depend on the data. If nothing is missing they are computed once for all
sequences, until they stand still, and what remains is a linear system with the observations as input; for
sequences with missing observations see :mod:`gradatim.timeseries.kalman_gaps`.
"""

import math
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.timeseries import riccati
from gradatim.timeseries.linear_response import respond


class Parameters(NamedTuple):
    """The matrices of a linear dynamical system, as :class:`LinearDynamicalSystem` names them."""

    A: Tensor
    C: Tensor
    Q: Tensor
    R: Tensor
    mean0: Tensor
    cov0: Tensor
    B: Tensor | None


class Filtered(NamedTuple):
    """What the filter knows at each step, from the observations up to it; ``(B,)`` only for a batch.

    Args:
        means: Estimates of the state, shape ``(B, T, n)``.
        covariances: Their covariances, shape ``(B, T, n, n)``.
        gains: Kalman gains, shape ``(B, T, n, m)``; zero in the columns of missing observations.
        log_likelihood: Of each sequence, shape ``(B,)``.
    """

    means: Tensor
    covariances: Tensor
    gains: Tensor
    log_likelihood: Tensor


class Update(NamedTuple):
    """The part of an update that does not depend on the data."""

    covariance: Tensor
    gain: Tensor
    factor: Tensor


def update(P: Tensor, C: Tensor, R: Tensor, joseph: bool) -> Update:
    """Covariance, gain and Cholesky factor of the innovation's covariance, from predicted ``P``."""
    PC = P @ C.mT
    factor, failed = torch.linalg.cholesky_ex(C @ PC + R)
    if failed.any():
        raise InvalidValue(
            "LinearDynamicalSystem: R must make C P C' + R positive definite at every step, got a singular "
            "one. Add a little observation noise to R."
        )
    K = torch.cholesky_solve(PC.mT, factor).mT
    if not joseph:
        after = P - K @ PC.mT
        return Update((after + after.mT) / 2, K, factor)
    kept = torch.eye(P.shape[-1], dtype=P.dtype, device=P.device) - K @ C
    return Update(kept @ P @ kept.mT + K @ R @ K.mT, K, factor)


def shared_updates(model: Parameters, num_steps: int, joseph: bool) -> Update:
    """Updates of all steps without missing observations, shape ``(k, ...)``; the last holds for all later."""
    A, C, Q, R = model[:4]
    steps = None if joseph else riccati.one_step(A, C, Q, R)
    first = update(model.cov0, C, R, joseph)
    if steps is None:
        return _one_by_one(model, first, num_steps, joseph)
    P = riccati.filtered_covariances(steps, first.covariance, num_steps, lambda P: A @ P @ A.T + Q)
    predicted = torch.cat([model.cov0[None], A @ P[:-1] @ A.T + Q])
    _, K, factor = update(predicted, C, R, joseph)
    return Update(P, K, factor)


def _one_by_one(model: Parameters, first: Update, num_steps: int, joseph: bool) -> Update:
    A, C, Q, R = model[:4]
    found = [first]
    while len(found) < num_steps:
        P = found[-1].covariance
        before = A @ P @ A.T + Q
        found.append(update(before, C, R, joseph))
        if riccati.agree(P, found[-1].covariance, before):
            break
    return Update(*(torch.stack(parts) for parts in zip(*found, strict=True)))


def filter_together(
    model: Parameters, y: Tensor, drive: Tensor | None, updates: Update
) -> Filtered:
    """Filter complete observations ``(B, T, m)`` by shared updates; ``drive`` is :math:`Bx_t`, ``(B, T, n)``."""
    (B, T, m), n = y.shape, len(model.A)
    P, K, factor = updates
    H, D = _as_linear_system(model, K, factor, drive is not None)
    v, k = y if drive is None else torch.cat([y, drive], 2), len(P)
    given = v[:, :k].transpose(0, 1) @ D.mT  # (k, B, n + m)
    h, outputs = model.mean0.expand(B, n), []
    for part, carry in zip(given.unbind(0), H.mT.unbind(0), strict=True):
        outputs.append(torch.addmm(part, h, carry))
        h = outputs[-1][:, :n]
    out = torch.stack(outputs, 1)  # (B, k, n + m)
    if k < T:
        out = torch.cat([out, respond(H[-1, :n], D[-1, :n], H[-1], D[-1], v[:, k:], h)], 1)
    volumes = factor.diagonal(dim1=1, dim2=2).log().sum(1)
    volume = volumes.sum() + (T - k) * volumes[-1] + 0.5 * T * m * math.log(2 * math.pi)
    last = torch.arange(T, device=y.device).clamp(max=k - 1)
    return Filtered(
        means=out[..., :n],
        covariances=P[last].expand(B, T, n, n),
        gains=K[last].expand(B, T, n, m),
        log_likelihood=-0.5 * out[..., n:].square().sum((1, 2)) - volume,
    )


def _as_linear_system(
    model: Parameters, K: Tensor, factor: Tensor, has_drive: bool
) -> tuple[Tensor, Tensor]:
    """Per step, the maps from :math:`h_{t-1}` and from :math:`(y_t,Bx_t)` to :math:`h_t` and the white innovation."""
    _, n, m = K.shape
    eye = torch.eye(max(n, m), dtype=K.dtype, device=K.device)
    white = torch.linalg.solve_triangular(factor, eye[:m, :m], upper=False)
    # (h_t, innovation) from (h⁻_t, y_t); the first step has no transition before it
    from_state = torch.cat([eye[:n, :n] - K @ model.C, -white @ model.C], 1)  # (k, n + m, n)
    from_data = torch.cat([K, white], 1)  # (k, n + m, m)
    H = torch.cat([from_state[:1], from_state[1:] @ model.A])
    return H, torch.cat([from_data, from_state], 2) if has_drive else from_data
