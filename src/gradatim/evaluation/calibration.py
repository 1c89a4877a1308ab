"""Whether probabilities mean what they say, and the one number that mends most of it."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax, softmax

from gradatim.errors import require

SPAN = 7.0  # logarithms of the temperatures tried, on both sides of 0


def expected_calibration_error(probabilities: ArrayLike, y: ArrayLike, *, bins: int = 15) -> float:
    r"""How far shares of right answers lie from the confidence in them, on average.

    .. math:: \mathrm{ECE} = \sum_b \frac{n_b}{N}\,|\mathrm{acc}_b - \mathrm{conf}_b|

    over answers whose confidence :math:`\max_kp_k` lies in equal parts of (0, 1]. It is never below 0 for a calibrated
    model either: chance makes it larger the fewer rows a part has.

    Args:
        probabilities: Shape ``(N, K)``.
        y: True classes, whole numbers from 0 to K - 1, shape ``(N,)``.
        bins: Parts.

    Example:
        >>> round(expected_calibration_error([[0.9, 0.1], [0.9, 0.1]], [0, 1]), 4)  # sure by 0.9, right by a half
        0.4

    Reference:
        Guo et al., On Calibration of Modern Neural Networks, 2017.
    """
    p, truth = _check("expected_calibration_error", probabilities, y)
    require(bins >= 1, "expected_calibration_error: bins must be at least 1", bins, "Try 15.")
    confidence, is_right = p.max(1), p.argmax(1) == truth
    part = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    gaps = np.bincount(part, weights=is_right - confidence, minlength=bins)
    return float(np.abs(gaps).sum() / len(p))


@dataclass(eq=False)
class TemperatureScaling:
    r"""Logits divided by one number, so that probabilities mean what they say.

    .. math:: p = \mathrm{softmax}(z/T), \qquad T = \arg\min_T -\sum_n\log p_{n,y_n}

    The order of classes, and with it the accuracy, stays as it is.

    Attributes:
        temperature_: :math:`T`, above 1 for a network that is too sure.

    Example:
        >>> logits, y = np.array([[4.0, 0.0]] * 4), [0, 0, 0, 1]  # right three times of four
        >>> scaling = TemperatureScaling().fit(logits, y)
        >>> scaling.predict_proba(logits)[0].round(3)
        array([0.75, 0.25])
    """

    def fit(self, logits: ArrayLike, y: ArrayLike) -> Self:
        """Find the temperature from rows that the model has not learned from.

        Args:
            logits: Outputs before the softmax, or logarithms of probabilities, shape ``(N, K)``.
            y: True classes, whole numbers from 0 to K - 1, shape ``(N,)``.
        """
        z, truth = _check("TemperatureScaling", logits, y)

        def loss(log_temperature: float) -> float:
            scaled = log_softmax(z / math.exp(log_temperature), axis=1)
            return float(-scaled[np.arange(len(z)), truth].mean())

        found = minimize_scalar(loss, bounds=(-SPAN, SPAN), method="bounded", options={"xatol": 1e-8})  # fmt: skip
        self.temperature_ = math.exp(found.x)
        return self

    def predict_proba(self, logits: ArrayLike) -> NDArray[np.float64]:
        """Probabilities at the temperature found, shape ``(N, K)``."""
        is_fitted = hasattr(self, "temperature_")
        require(is_fitted, "TemperatureScaling: fit must come first", "no temperature")
        scaled: NDArray[np.float64] = softmax(np.asarray(logits, float) / self.temperature_, axis=1)
        return scaled


def _check(owner: str, values: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:  # fmt: skip
    rows, truth = np.asarray(values, dtype=float), np.asarray(y)
    rule = f"{owner}: rows must have shape (N, K) and y shape (N,), N from 1"
    fits = rows.ndim == 2 and truth.shape == rows.shape[:1] and rows.size
    require(fits, rule, f"{rows.shape} and {truth.shape}")
    require(bool(np.isfinite(rows).all()), f"{owner}: rows must be finite", "others")
    is_class = np.issubdtype(truth.dtype, np.integer) and truth.min() >= 0 and truth.max() < rows.shape[1]  # fmt: skip
    require(is_class, f"{owner}: y must hold whole numbers from 0 to {rows.shape[1] - 1}", f"{truth.dtype} from {truth.min()} to {truth.max()}")  # fmt: skip
    return rows, truth.astype(np.int64)
