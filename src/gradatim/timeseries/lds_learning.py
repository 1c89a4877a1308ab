r"""Expectation-maximization for linear dynamical systems.

With :math:`\langle\cdot\rangle` the expectation under the smoother, summed over sequences and steps, one
round sets

.. math::
    [A\;B]=\langle h_tz_t^\top\rangle\langle z_tz_t^\top\rangle^{-1},\quad
    Q=\tfrac1{N}\langle(h_t-[A\;B]z_t)(\cdot)^\top\rangle,\quad z_t=(h_{t-1},x_t)

.. math::
    C=\langle y_th_t^\top\rangle\langle h_th_t^\top\rangle^{-1},\quad
    R=\tfrac1{N'}\langle(y_t-Ch_t)(\cdot)^\top\rangle

and :math:`\mu_0,P_0` to the moments of the first state. Entries of :math:`y_t` that are missing are
expected too, given the state and the entries seen; steps that show nothing do not count in :math:`N'`. The
likelihood never falls.

Reference:
    Shumway and Stoffer, An approach to time series smoothing and forecasting using the EM algorithm, 1982;
    Ghahramani and Hinton, Parameter estimation for linear dynamical systems, 1996.
"""

from collections.abc import Collection
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.timeseries.kalman import Parameters
from gradatim.timeseries.rts import Smoothed


def maximize(
    model: Parameters, smoothed: Smoothed, y: Tensor, inputs: Tensor | None, learn: Collection[str]
) -> Parameters:
    """The parameters named in ``learn`` that maximize the expected log-likelihood."""
    m, P = smoothed.means, smoothed.covariances
    second = P + m[..., :, None] * m[..., None, :]  # E[h hᵀ]: (B, T, n, n)
    new = model._asdict()
    new |= _transition(model, smoothed, second, inputs, learn) if m.shape[1] > 1 else {}
    new |= _observation(model, m, second, y, learn)
    if "mean0" in learn:
        new["mean0"] = m[:, 0].mean(0)
    if "cov0" in learn:
        away = m[:, 0] - new["mean0"]
        new["cov0"] = _symmetric(P[:, 0].mean(0) + away.T @ away / len(m))
    return Parameters(**new)


def _transition(
    model: Parameters,
    smoothed: Smoothed,
    second: Tensor,
    inputs: Tensor | None,
    learn: Collection[str],
) -> dict[str, Tensor | None]:
    m = smoothed.means
    now = second[:, 1:].sum((0, 1))
    cross = smoothed.cross_covariances.sum((0, 1)) + _outer(m[:, 1:], m[:, :-1])  # E[h_t h_{t-1}ᵀ]
    past, weight = second[:, :-1].sum((0, 1)), model.A
    if inputs is not None and model.B is not None:
        x = inputs[:, 1:]
        beside = _outer(m[:, :-1], x)
        past = torch.cat([torch.cat([past, beside], 1), torch.cat([beside.T, _outer(x, x)], 1)])
        cross = torch.cat([cross, _outer(m[:, 1:], x)], 1)
        weight = torch.cat([model.A, model.B], 1)
    n = len(model.A)
    # free columns of [A B], the others stay: regress what they leave
    free = ["A" in learn] * n + ["B" in learn] * (weight.shape[1] - n)
    choice = torch.tensor(free, device=m.device)
    if choice.any():
        rest = cross[:, choice] - weight[:, ~choice] @ past[~choice][:, choice]
        found = torch.linalg.solve(past[choice][:, choice], rest, left=False)
        weight = weight.clone()
        weight[:, choice] = found
    new: dict[str, Tensor | None] = {"A": weight[:, :n], "B": model.B}
    if model.B is not None and weight.shape[1] > n:
        new["B"] = weight[:, n:]
    if "Q" in learn:
        count = m.shape[0] * (m.shape[1] - 1)
        spread = now - weight @ cross.T - cross @ weight.T + weight @ past @ weight.T
        new["Q"] = _symmetric(spread / count)
    return new


def _observation(
    model: Parameters, m: Tensor, second: Tensor, y: Tensor, learn: Collection[str]
) -> dict[str, Tensor | None]:
    """C and R, from the steps that show anything, pattern of missing entries by pattern."""
    patterns, which = torch.unique(~torch.isnan(y).flatten(0, 1), dim=0, return_inverse=True)
    y, m, second = y.flatten(0, 1), m.flatten(0, 1), second.flatten(0, 1)
    cross, squares, moments = model.C * 0, model.R * 0, model.Q * 0
    for index in patterns.any(1).nonzero()[:, 0]:
        rows = which == index
        fill = _fill(model, patterns[index])
        own = torch.where(patterns[index], y[rows], 0.0) @ fill.shown.T  # (N, m)
        h, hh = m[rows], second[rows].sum(0)
        beside = fill.hidden @ h.T @ own  # (m, m)
        cross += own.T @ h + fill.hidden @ hh
        squares += own.T @ own + beside + beside.T + fill.hidden @ hh @ fill.hidden.T
        squares += len(h) * fill.noise
        moments += hh
    C = model.C
    if "C" in learn:
        C = torch.linalg.solve(moments, cross, left=False)
    new: dict[str, Tensor | None] = {"C": C}
    if "R" in learn:
        spread = squares - C @ cross.T - cross @ C.T + C @ moments @ C.T
        new["R"] = _symmetric(spread / int(patterns.any(1)[which].sum()))
    return new


class _Fill(NamedTuple):
    r"""An observation with gaps, given the state: :math:`y=Sy_{\text{seen}}+Hh+e,\;e\sim N(0,N)`."""

    shown: Tensor
    hidden: Tensor
    noise: Tensor


def _fill(model: Parameters, seen: Tensor) -> _Fill:
    r"""What the seen entries and the state say about the missing ones, through correlated noise.

    .. math:: y_u=C_uh+R_{uo}R_{oo}^{-1}(y_o-C_oh)+e,\qquad e\sim N(0,R_{uu}-R_{uo}R_{oo}^{-1}R_{ou})
    """
    C, R, gone = model.C, model.R, ~seen
    shown = seen.to(C.dtype).diag()
    shown[gone] = 0.0
    weight = R[gone][:, seen] @ torch.linalg.pinv(R[seen][:, seen], hermitian=True)
    shown[gone.nonzero(), seen.nonzero()[:, 0]] = weight
    hidden = torch.zeros_like(C)
    hidden[gone] = C[gone] - weight @ C[seen]
    noise = torch.zeros_like(R)
    noise[gone.nonzero(), gone.nonzero()[:, 0]] = R[gone][:, gone] - weight @ R[seen][:, gone]
    return _Fill(shown, hidden, noise)


def _outer(a: Tensor, b: Tensor) -> Tensor:
    """Sum of outer products over sequences and steps."""
    return a.flatten(0, 1).T @ b.flatten(0, 1)


def _symmetric(P: Tensor) -> Tensor:
    return (P + P.mT) / 2
