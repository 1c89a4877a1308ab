"""The forecasts a network must beat: last value, last season, exponential smoothing, autoregression."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from torch import Tensor

from gradatim.errors import InvalidValue
from gradatim.fitting.stored import LONGEST, Facts, arrays_from, whole
from gradatim.model_folder import tensors_from
from gradatim.timeseries import AR, Smoothing, extrapolate, fit_smoothing, smooth

LAST, SEASONAL = "last value", "seasonal naive"
SMOOTHING, AUTOREGRESSION = "exponential smoothing", "autoregression"
RECENT = 2000  # steps that smoothing and autoregression learn from at the most
LONGEST_ORDER = 60
EXPLOSION = 2.0  # growth over the horizon that a series with a trend may have


@dataclass
class SimpleForecasts:
    """A simple model, one for each series.

    Args:
        kind: Its name.
        horizon: Steps ahead.
        period: Steps of a season.
        arrays: What was learned, by name; first axis: the series.
    """

    kind: str
    horizon: int
    period: int
    arrays: dict[str, np.ndarray] = field(default_factory=dict)

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(array.size for array in self.arrays.values())

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and what was learned."""
        facts = {"kind": self.kind, "horizon": self.horizon, "period": self.period}
        return facts, tensors_from(self.arrays)

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "SimpleForecasts":
        """Undo :meth:`store`."""
        horizon, period = (whole(facts, name, LONGEST) for name in ("horizon", "period"))
        return cls(facts["kind"], horizon, period, arrays_from(tensors))

    def serves(self, series: int) -> bool:
        """Whether it learned from so many series."""
        if not all(own.ndim and len(own) == series for own in self.arrays.values()):
            return False
        if self.kind != AUTOREGRESSION:
            return True
        order = self.arrays["order"]
        return bool(((order >= 1) & (order <= self.arrays["coefficients"].shape[1])).all())

    def forecast(self, pasts: Sequence[np.ndarray]) -> np.ndarray:
        """Return the next steps after each past, shape ``(S, horizon)``."""
        return np.stack([self._one(np.asarray(x, float), k) for k, x in enumerate(pasts)])

    def _one(self, x: np.ndarray, k: int) -> np.ndarray:
        ahead = np.arange(self.horizon)
        if self.kind == LAST:
            return np.full(self.horizon, x[-1])
        if self.kind == SEASONAL:
            return x[-self.period :][ahead % min(self.period, len(x))]
        if self.kind == SMOOTHING:
            rates = Smoothing(*(self.arrays["rates"][k][:, None, None]))
            period = self.period if len(x) >= 2 * self.period else 1
            state, _ = smooth(x[None, -RECENT:], rates, period)
            return extrapolate(state, rates, self.horizon)[0]
        order = int(self.arrays["order"][k])
        center, scale = self.arrays["center"][k], self.arrays["scale"][k]
        model = AR(self.arrays["coefficients"][k, :order], self.arrays["intercept"][k, None])
        z = (x - center) / scale
        z = np.pad(z, (max(order - len(z), 0), 0), mode="edge")
        return model.forecast(z[-order:], self.horizon).mean.numpy() * scale + center


def simple_models(period: int) -> tuple[str, ...]:
    """Names of the simple models, the simplest first.

    Example:
        >>> simple_models(1)
        ('last value', 'exponential smoothing', 'autoregression')
    """
    return (LAST, *([SEASONAL] if period > 1 else []), SMOOTHING, AUTOREGRESSION)


def fit_simple(name: str, series: Sequence[np.ndarray], horizon: int, period: int, seed: int) -> SimpleForecasts:  # fmt: skip
    """Fit a simple model to each series.

    Args:
        name: One of :func:`simple_models`.
        series: The past of each.
        horizon: Steps ahead.
        period: Steps of a season.
        seed: Fixes the search of smoothing rates.
    """
    model = SimpleForecasts(name, horizon, period)
    recent = [x[-RECENT:] for x in series]
    if name == SMOOTHING:
        fitted = [fit_smoothing(x, period if len(x) >= 2 * period else 1, seed=seed) for x in recent]  # fmt: skip
        model.arrays["rates"] = np.array([[float(r[0, 0]) for r in rates] for rates in fitted])
    elif name == AUTOREGRESSION:
        found = [_fit_autoregression(x, period, horizon) for x in recent]
        longest = max(len(f["coefficients"]) for f in found)
        for f in found:
            f["order"] = len(f["coefficients"])
            f["coefficients"] = np.pad(f["coefficients"], (0, longest - f["order"]))
        model.arrays = {key: np.array([f[key] for f in found]) for key in found[0]}
    return model


def _fit_autoregression(x: np.ndarray, period: int, horizon: int) -> dict[str, Any]:
    """The order with the best Akaike criterion; where forecasts would explode, the stationary estimate."""
    center, scale = float(x.mean()), float(x.std()) or 1.0
    z = (x - center) / scale
    limit = max(min(LONGEST_ORDER, len(z) // 4), 1)
    orders = {p for p in (1, 2, 3, 4, 6, 8, 12, period, period + 1, 2 * period + 1) if p <= limit}
    models = []
    for p in sorted(orders):
        try:
            models.append(AR.fit(z, p))
        except InvalidValue:  # fewer lags already say everything
            break
    best = min(models, key=lambda m: _akaike(m, len(z) - m.order))
    if float(best.roots[0].abs()) ** horizon > EXPLOSION:
        best = AR.fit(z, best.order, method="yule_walker")
    return {
        "coefficients": best.coefficients[:, 0, 0].numpy(),
        "intercept": float(best.intercept[0]),
        "center": center,
        "scale": scale,
    }


def _akaike(model: AR, steps: int) -> float:
    return steps * float(np.log(max(float(model.noise[0, 0]), 1e-12))) + 2 * model.order
