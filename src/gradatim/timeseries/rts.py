r"""The Rauch-Tung-Striebel smoother: the state at each step from the whole sequence.

.. math::
    G_t=P_tA^\top(P^-_{t+1})^{-1},\qquad
    \hat h^s_t=\hat h_t+G_t(\hat h^s_{t+1}-\hat h^-_{t+1}),\qquad
    P^s_t=P_t+G_t(P^s_{t+1}-P^-_{t+1})G_t^\top

It runs as :math:`\hat h^s_t=(\hat h_t-G_t\hat h^-_{t+1})+G_t\hat h^s_{t+1}` and
:math:`P^s_t=(I-G_tA)P_t(I-G_tA)^\top+G_tQG_t^\top+G_tP^s_{t+1}G_t^\top`, a sum of positive terms.
Where the filter's covariances stand still so does :math:`G_t`, and both recursions run many steps at a time.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.timeseries.affine_blocks import run_affine
from gradatim.timeseries.kalman import Filtered, Parameters
from gradatim.timeseries.linear_response import respond
from gradatim.timeseries.riccati import Steps, filtered_covariances


class Smoothed(NamedTuple):
    """What all observations together say about each step; ``(B,)`` only for a batch.

    Args:
        means: Estimates of the state, shape ``(B, T, n)``.
        covariances: Their covariances, shape ``(B, T, n, n)``.
        cross_covariances: Covariances of each state with the one before it, shape ``(B, T - 1, n, n)``.
        log_likelihood: Of each sequence, shape ``(B,)``.
    """

    means: Tensor
    covariances: Tensor
    cross_covariances: Tensor
    log_likelihood: Tensor


class _Backward(NamedTuple):
    """The affine maps from one step to the step before it."""

    gain: Tensor
    mean: Tensor
    covariance: Tensor


def _backward(model: Parameters, h: Tensor, P: Tensor, drive: Tensor | None) -> _Backward:
    """Maps from filtered means ``h``, covariances ``P`` and the drive of the steps after them."""
    A, Q = model.A, model.Q
    G = _gains(P @ A.T, A @ P @ A.T + Q)
    predicted = h @ A.T if drive is None else h @ A.T + drive
    kept = torch.eye(len(A), dtype=A.dtype, device=A.device) - G @ A
    return _Backward(G, h - predicted @ G.mT, kept @ P @ kept.mT + G @ Q @ G.mT)


def smooth_together(
    model: Parameters, filtered: Filtered, drive: Tensor | None, num_moving: int
) -> Smoothed:
    """Smooth complete sequences; the filter's covariances stand still from step ``num_moving`` - 1 on."""
    B, T, n = filtered.means.shape
    k = min(num_moving, T)
    means, P = filtered.means, filtered.covariances[0]  # (B, T, n), (T, n, n)
    G, h, S = P[:0], means[:, -1:], P[-1:]
    if k < T:  # the part with one gain, last step first
        tail = _backward(
            model, means[:, k - 1 : -1], P[-1], None if drive is None else drive[:, k:]
        )
        eye = torch.eye(n, dtype=P.dtype, device=P.device)
        later = respond(tail.gain, eye, tail.gain, eye, tail.mean.flip(1), means[:, -1])
        h = torch.cat([later.flip(1), h], 1)
        before = model.A @ P[-1] @ model.A.T + model.Q
        backward = Steps(tail.gain, tail.covariance, 0 * eye)
        S = filtered_covariances(backward, P[-1], T - k + 1, lambda _: before)
        S = torch.cat([S[-1:].expand(T - k + 1 - len(S), n, n), S.flip(0)])
        G = tail.gain.expand(T - k, n, n)
    first = means[:, : k - 1].transpose(0, 1)
    push = None if drive is None else drive[:, 1:k].transpose(0, 1)
    head = _backward(model, first, P[: k - 1], push)
    hs, Ss = [h[:, 0]], [S[0]]
    for g, m, c in zip(*(part.flip(0).unbind(0) for part in head), strict=True):
        hs.append(torch.addmm(m, hs[-1], g.T))
        Ss.append(torch.addmm(c, g @ Ss[-1], g.T))
    smooth = torch.cat([torch.stack(Ss[::-1]), S[1:]])
    return Smoothed(
        torch.cat([torch.stack(hs[::-1], 1), h[:, 1:]], 1),
        smooth.expand(B, T, n, n),
        (smooth[1:] @ torch.cat([head.gain, G]).mT).expand(B, T - 1, n, n),
        filtered.log_likelihood,
    )


def smooth_each(model: Parameters, filtered: Filtered, drive: Tensor | None) -> Smoothed:
    """Smooth sequences with covariances of their own."""
    means, P = filtered.means[:, :, None], filtered.covariances  # (B, T, 1, n), (B, T, n, n)
    push = None if drive is None else drive[:, 1:, None]
    maps = _backward(model, means[:, :-1], P[:, :-1], push)
    G, u, c = (part.flip(1).transpose(0, 1) for part in maps)  # last step first, (T - 1, B, ...)
    h = run_affine(G, u.mT, means[:, -1].mT)[..., 0].transpose(0, 1).flip(1)
    S = run_affine(G, c, P[:, -1], both_sides=True).transpose(0, 1).flip(1)
    h, smooth = torch.cat([h, filtered.means[:, -1:]], 1), torch.cat([S, P[:, -1:]], 1)
    return Smoothed(h, smooth, smooth[:, 1:] @ maps.gain.mT, filtered.log_likelihood)


def _gains(PA: Tensor, predicted: Tensor) -> Tensor:
    """Solve for the gains; a state without any uncertainty needs the pseudo-inverse."""
    factor, failed = torch.linalg.cholesky_ex(predicted)
    if failed.any():
        return PA @ torch.linalg.pinv(predicted, hermitian=True)
    return torch.cholesky_solve(PA.mT, factor).mT
