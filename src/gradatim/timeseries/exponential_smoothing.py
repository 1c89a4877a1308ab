"""Exponential smoothing: level, damped trend and season, each a moving average that forgets."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gradatim.errors import InvalidValue

DRAWS, KEPT = (
    200,
    8,
)  # settings tried in each round of the search, and the best, around which the next are drawn
ROUNDS = 9


class Smoothing(NamedTuple):
    r"""Rates and damping of Holt and Winters' method, one of each per series, shape ``(S, 1)``.

    Args:
        level: :math:`\alpha` in [0, 1].
        trend: :math:`\beta` in [0, 1].
        season: :math:`\gamma` in [0, 1].
        damping: :math:`\phi` in [0, 1].
    """

    level: np.ndarray
    trend: np.ndarray
    season: np.ndarray
    damping: np.ndarray


class SmoothingState(NamedTuple):
    r"""Where a series stands: level ``(S, G)``, trend ``(S, G)``, the last season ``(S, G, m)``.

    Args:
        level: :math:`\ell_t`.
        trend: :math:`b_t`.
        season: :math:`s_{t-m+1},\dots,s_t`, oldest first.
    """

    level: np.ndarray
    trend: np.ndarray
    season: np.ndarray


def smooth(
    series: ArrayLike, rates: Smoothing, period: int = 1
) -> tuple[SmoothingState, np.ndarray]:
    r"""Run Holt and Winters' additive recursion with a damped trend over series.

    .. math::
        \hat x_t &= \ell_{t-1} + \phi b_{t-1} + s_{t-m} \\
        \ell_t &= \alpha(x_t - s_{t-m}) + (1-\alpha)(\ell_{t-1} + \phi b_{t-1}) \\
        b_t &= \beta(\ell_t - \ell_{t-1}) + (1-\beta)\phi b_{t-1} \\
        s_t &= \gamma(x_t - \ell_{t-1} - \phi b_{t-1}) + (1-\gamma)s_{t-m}

    It starts from the mean of the first period, the drift from the first to the second, and the first
    period's deviations from its line; without a season from the first value.

    Args:
        series: Values :math:`x_t`, shape ``(S, T)``, two periods or more.
        rates: :math:`\alpha, \beta, \gamma, \phi`, shape ``(S, G)`` each: ``G`` settings side by side.
        period: :math:`m`; 1 for no season.

    Returns:
        The state after the last step, and the mean squared error of the predictions, shape ``(S, G)``.

    Example:
        >>> rates = Smoothing(*(np.array([[r]]) for r in (0.5, 0.0, 0.0, 0.0)))
        >>> state, error = smooth([[2.0, 4.0, 8.0]], rates)
        >>> float(state.level[0, 0]), float(error[0, 0])  # 2, 3, 5.5; errors 0, 2, 5
        (5.5, 9.666666666666666)

    Reference:
        Hyndman and Athanasopoulos, Forecasting: Principles and Practice, 2021, chapter 8.
    """
    x = np.atleast_2d(np.asarray(series, dtype=np.float64))
    if x.ndim != 2 or period < 1 or x.shape[1] < max(2 * period, 2) or not np.isfinite(x).all():
        raise InvalidValue(
            f"smooth: series must be finite, of shape (S, T) with two periods of {period} or more, "
            f"got shape {x.shape}."
        )
    shape = rates.level.shape
    level, trend, season = _start(x, period)
    level, trend = np.broadcast_to(level, shape), np.broadcast_to(trend, shape)
    seasons = [np.broadcast_to(s, shape) for s in season]
    total = np.zeros(shape)
    for value in x.T[:, :, None]:  # (S, 1) at every step
        line, old = level + rates.damping * trend, seasons.pop(0)
        total = total + (value - line - old) ** 2
        new = line + rates.level * (value - old - line)
        trend = rates.trend * (new - level) + (1 - rates.trend) * rates.damping * trend
        seasons.append(old + rates.season * (value - line - old) if period > 1 else old)
        level = new
    return SmoothingState(level, trend, np.stack(seasons, -1)), total / x.shape[1]


def _start(x: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Level and trend before the first step, ``(S, 1)``, and the first season ``(m, S, 1)``."""
    if m == 1:
        drift = np.zeros((len(x), 1))
        return x[:, :1], drift, np.zeros((1, len(x), 1))
    first, second = x[:, :m].mean(1), x[:, m : 2 * m].mean(1)
    drift = (second - first) / m
    line = first[:, None] + drift[:, None] * (np.arange(m) - (m - 1) / 2)
    before = first - drift * (m + 1) / 2
    return before[:, None], drift[:, None], (x[:, :m] - line).T[:, :, None]


def fit_smoothing(series: ArrayLike, period: int = 1, *, seed: int = 0) -> Smoothing:
    r"""Choose the rates with the smallest squared error of one-step predictions, for each series.

    The error has several valleys, and its best is often a narrow one with a slow trend that hardly fades. So settings are
    drawn everywhere, as :math:`\alpha=u_1,\ \beta=u_2^3,\ \gamma=u_3^2,\ \phi=1-u_4^3` with :math:`u` even in the cube, and then ever
    closer around the best few.

    Args:
        series: Values, shape ``(S, T)``, two periods or more.
        period: Steps of a season; 1 for none.
        seed: Fixes the draws.

    Example:
        >>> steady = np.array([[5.0, 5.0, 5.0, 9.0, 5.0, 5.0, 5.0, 5.0]])  # one shock that does not last
        >>> float(fit_smoothing(steady).level[0, 0]) < 0.1
        True
    """
    x = np.atleast_2d(np.asarray(series, dtype=np.float64))
    rng = np.random.default_rng(seed)
    tried = rng.random((4, len(x), DRAWS))
    reach, errors = 0.5, smooth(x, _rates(tried, period), period)[1]
    for _ in range(ROUNDS):
        order = errors.argsort(1)[:, :KEPT]  # (S, KEPT)
        best, errors = np.take_along_axis(tried, order[None], 2), np.take_along_axis(errors, order, 1)  # fmt: skip
        reach /= 2
        steps = reach * rng.uniform(-1, 1, (4, len(x), DRAWS))
        near = (np.tile(best, DRAWS // KEPT) + steps).clip(0.0, 1.0)
        tried = np.concatenate([best, near], axis=2)
        errors = np.hstack([errors, smooth(x, _rates(near, period), period)[1]])
    return _rates(np.take_along_axis(tried, errors.argmin(1)[None, :, None], 2), period)


def _rates(u: np.ndarray, period: int) -> Smoothing:
    """Rates at points of the unit cube, ``(4, S, G)``."""
    return Smoothing(u[0], u[1] ** 3, u[2] ** 2 if period > 1 else 0 * u[2], 1 - u[3] ** 3)


def extrapolate(state: SmoothingState, rates: Smoothing, steps: int) -> np.ndarray:
    r"""Forecast from a state.

    .. math:: \hat x_{T+h}=\ell_T+(\phi+\phi^2+\dots+\phi^h)\,b_T+s_{T-m+1+(h-1)\bmod m}

    Args:
        state: As :func:`smooth` returns it, for one setting per series.
        rates: The same setting.
        steps: How far ahead.

    Returns:
        Shape ``(S, steps)``.

    Example:
        >>> state = SmoothingState(np.array([[10.0]]), np.array([[2.0]]), np.zeros((1, 1, 1)))
        >>> rates = Smoothing(*(np.array([[r]]) for r in (0.5, 0.5, 0.0, 0.5)))
        >>> extrapolate(state, rates, 3).tolist()
        [[11.0, 11.5, 11.75]]
    """
    powers = rates.damping ** np.arange(1, steps + 1)  # (S, steps)
    season = state.season[:, 0]  # (S, m)
    wave = season[:, np.arange(steps) % season.shape[1]]
    return state.level + np.cumsum(powers, axis=1) * state.trend + wave
