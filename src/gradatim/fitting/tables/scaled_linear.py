"""Logistic or ridge regression on scaled features, which takes features as they are."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradatim.fitting.tables import candidates
from gradatim.fitting.tables.predictors import Fitted


def fit_scaled_linear(
    X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None = None, *, shrink: float = 1.0
) -> Fitted:  # fmt: skip
    r"""Logistic or ridge regression on :math:`(x - \mu)/(c\,\sigma)`; mean and scale go into its weights.

    Args:
        X: Features, shape ``(N, D)``.
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes inner splits.
        chosen: Settings of the same model on fewer rows; they stay.
        shrink: :math:`c`: the larger, the more weights are held back.
    """
    mean, spread = (moment(X, 0, dtype=np.float64) for moment in (np.mean, np.std))
    spread = np.where(spread > 1e-9, shrink * spread, np.inf)  # one that never changes says nothing
    name = "logistic regression" if classes else candidates.RIDGE
    fitted = candidates.fit_simple(
        name, ((X - mean) / spread).astype(X.dtype), y, classes, seed, chosen
    )
    weight = fitted.arrays["0.0.weight"] / spread
    arrays = {"0.0.weight": weight, "0.0.bias": fitted.arrays["0.0.bias"] - weight @ mean}
    return Fitted("chain", classes, {**fitted.arrays, **arrays}, fitted.settings)
