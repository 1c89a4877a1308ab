"""Power laws through a few measured points, with intervals for their exponents."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import f as fisher
from scipy.stats import t as student

Floats = NDArray[np.float64]
FLOORS = 200  # floors tried


class PowerLaw(NamedTuple):
    r"""A fit of :math:`L(x) = E + (x_0/x)^{\alpha}`.

    Args:
        exponent: :math:`\alpha`.
        low: Lower end of its interval.
        high: Upper end.
        floor: :math:`E`.
        log_scale: :math:`\alpha \log x_0`.
        error: Root of the mean squared residual of :math:`\log(L - E)`, or of :math:`\log L` for a free floor.
    """

    exponent: float
    low: float
    high: float
    floor: float
    log_scale: float
    error: float

    def __call__(self, x: ArrayLike) -> Floats:
        return self.floor + np.exp(self.log_scale - self.exponent * np.log(np.asarray(x, float)))


def fit_power(
    x: ArrayLike, loss: ArrayLike, *, floor: float = 0.0, level: float = 0.95
) -> PowerLaw:
    r"""Fit a straight line to :math:`\log(L - E)` against :math:`\log x`, with :math:`E` known.

    Args:
        x: Sizes, at least three different ones.
        loss: :math:`L` at each.
        floor: :math:`E`, below every loss.
        level: Probability of the interval, from Student's distribution of the slope.

    Example:
        >>> law = fit_power([1, 10, 100, 1000], [2.0, 1.0, 0.5, 0.25])
        >>> round(law.exponent, 4)  # log 2 / log 10
        0.301
    """
    logs, values = np.log(np.asarray(x, float)), np.log(np.asarray(loss, float) - floor)
    centred = logs - logs.mean()
    slope = float(centred @ values / (centred @ centred))
    residual = values - values.mean() - slope * centred
    freedom = len(logs) - 2
    spread = float(np.sqrt(residual @ residual / freedom / (centred @ centred)))
    half = float(student.ppf((1 + level) / 2, freedom)) * spread
    scale = float(values.mean() - slope * logs.mean())
    error = float(np.sqrt(np.mean(residual**2)))
    return PowerLaw(-slope, -slope - half, -slope + half, floor, scale, error)


def fit_with_floor(x: ArrayLike, loss: ArrayLike, *, level: float = 0.95) -> PowerLaw:
    r"""Fit :math:`L(x) = E + (x_0/x)^{\alpha}` with a free floor, by its profile.

    For every floor the line of :func:`fit_power` is known. The interval holds the exponents of all floors whose squared
    error of :math:`\log L` is, by Fisher's distribution, not significantly above the least.

    Args:
        x: Sizes, at least four different ones.
        loss: :math:`L` at each.
        level: Probability of the interval.

    Example:
        >>> x = np.array([1.0, 10.0, 100.0, 1000.0])
        >>> law = fit_with_floor(x, 0.5 + x**-0.5)
        >>> bool(abs(law.exponent - 0.5) < 0.01 and abs(law.floor - 0.5) < 0.01)
        True
    """
    loss = np.asarray(loss, float)
    floors = np.linspace(0.0, loss.min(), FLOORS, endpoint=False)
    laws = [fit_power(x, loss, floor=float(floor), level=level) for floor in floors]
    errors = np.array([np.sum(np.log(law(x) / loss) ** 2) for law in laws])
    best, freedom = int(errors.argmin()), len(loss) - 3
    limit = errors[best] * (1 + fisher.ppf(level, 1, freedom) / freedom) + 1e-12
    allowed = [law.exponent for law, error in zip(laws, errors, strict=True) if error <= limit]
    error = float(np.sqrt(errors[best] / len(loss)))
    return laws[best]._replace(low=min(allowed), high=max(allowed), error=error)
