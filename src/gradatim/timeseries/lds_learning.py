r"""Expectation-maximization for linear dynamical systems.

With :math:`\langle\cdot\rangle` the expectation under the smoother, summed over sequences and steps, one
round sets

.. math::
    [A\;B]=\langle h_tz_t^\top\rangle\langle z_tz_t^\top\rangle^{-1},\quad
    Q=\tfrac1{N}\langle(h_t-[A\;B]z_t)(\cdot)^\top\rangle,\quad z_t=(h_{t-1},x_t)

.. math::
    C=\langle y_th_t^\top\rangle\langle h_th_t^\top\rangle^{-1},\quad
    R=\tfrac1{N'}\langle(y_t-Ch_t)(\cdot)^\top\rangle

and :math:`\mu_0,P_0` to the moments of the first state. The likelihood never falls.

Reference:
    Shumway and Stoffer, An approach to time series smoothing and forecasting using the EM algorithm, 1982;
    Ghahramani and Hinton, Parameter estimation for linear dynamical systems, 1996.
"""

from collections.abc import Collection

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
    seen = ~torch.isnan(y).any(-1)  # (B, T): rows are whole or missing
    rows, means = y[seen], m[seen]
    moments, C = second[seen].sum(0), model.C
    cross = rows.T @ means
    if "C" in learn:
        C = torch.linalg.solve(moments, cross, left=False)
    new: dict[str, Tensor | None] = {"C": C}
    if "R" in learn:
        spread = rows.T @ rows - C @ cross.T - cross @ C.T + C @ moments @ C.T
        new["R"] = _symmetric(spread / len(rows))
    return new


def _outer(a: Tensor, b: Tensor) -> Tensor:
    """Sum of outer products over sequences and steps."""
    return a.flatten(0, 1).T @ b.flatten(0, 1)


def _symmetric(P: Tensor) -> Tensor:
    return (P + P.mT) / 2
