r"""Intervals and sets from the folds that candidates were judged on, without another training.

Every training row was judged by a model that had not learned it, so its score is one that a new row may have,

.. math:: s_i = \frac{|y_i - \hat y_{-k(i)}(x_i) - m_{-k(i)}|}{\hat\sigma_{-k(i)}(x_i)} \qquad\text{or}\qquad 1 - p_{-k(i)}(y_i \mid x_i)

with :math:`k(i)` the fold of row :math:`i`; the spread :math:`\hat\sigma` and the shift :math:`m` are learned from the errors
of the other folds. Where the spread makes intervals no narrower than plain errors do, it is left out.

Reference:
    Vovk, Cross-Conformal Predictors, 2015; Barber et al., Predictive Inference with the Jackknife+, 2021.
"""

from dataclasses import replace

import numpy as np

from gradatim.evaluation.conformal import conformal_radius
from gradatim.fitting.calibration import Calibration
from gradatim.fitting.spread import (
    FEATURES,
    FEWEST,
    MOST_FEATURES,
    POWERS,
    PREDICTION,
    SMALLEST,
    Spread,
    learn_trees,
)

JUDGED = 0.9  # coverage at which widths are compared
GAIN = 0.01  # of the width, that a spread must bring
PARTS = 5  # of which each has a spread that the others taught, at most


def calibrate_classes(said: np.ndarray, weight: np.ndarray | None = None) -> Calibration:
    """Scores of classes.

    Args:
        said: Probabilities of the true class of rows that a model had not learned from.
        weight: How much each row counts; all the same by default.
    """
    return _sorted(1.0 - said, weight)


def calibrate_values(
    y: np.ndarray,
    said: np.ndarray,
    fold: np.ndarray,
    features: np.ndarray | None = None,
    weight: np.ndarray | None = None,
    *,
    has_spread: bool = True,
    has_shift: bool = False,
) -> Calibration:
    """Scores of values, with the spread that makes intervals narrowest.

    Args:
        y: Values.
        said: What a model said of these rows, which it had not learned from.
        fold: The fold of each row.
        features: Of the rows, shape ``(N, D)``; without them the spread looks at the prediction alone.
        weight: How much each row counts; all the same by default.
        has_spread: Whether widths may differ.
        has_shift: Whether the middle of intervals may lie beside the prediction, which is not of the middle.
    """
    part = fold % PARTS
    shift = _shift(y - said, part, weight) if has_shift else np.zeros(len(y))
    error = np.abs(y - said - shift)
    middle = _median(y - said, weight) if has_shift else 0.0
    plain = _sorted(error, weight, middle)
    if not has_spread or min(len(y) - np.bincount(part)) < FEWEST or not np.median(error) > 0:
        return plain
    narrowest = (1 - GAIN) * conformal_radius(error, JUDGED, weight)
    if not np.isfinite(narrowest):
        return plain
    found: tuple[str, float, float, np.ndarray] | None = None
    looks = [PREDICTION]
    if features is not None and 0 < features.shape[1] <= MOST_FEATURES:
        looks.append(FEATURES)
    for reads in looks:
        learned = _cross_fitted(reads, error, said, features, part, weight)
        for power in POWERS:
            spread = learned**power
            floor = SMALLEST * float(np.median(spread))
            scores = error / np.maximum(spread, floor)
            width = conformal_radius(scores, JUDGED, weight) * np.average(np.maximum(spread, floor), weights=weight)  # fmt: skip
            if width < narrowest:
                narrowest, found = width, (reads, power, floor, scores)
    if found is None:
        return plain
    reads, power, floor, scores = found
    trees = learn_trees(reads, np.abs(y - said - middle), said, features, weight)
    return _sorted(scores, weight, middle, Spread(trees, reads, power, floor))


def learn_spread_again(
    calibration: Calibration,
    y: np.ndarray,
    said: np.ndarray,
    features: np.ndarray | None,
    weight: np.ndarray | None = None,
) -> Calibration:
    """The same scores with a spread that reads features as another preprocessing makes them.

    Args:
        calibration: What :func:`calibrate_values` found.
        y: Values of the rows.
        said: What was said of them.
        features: Of the rows, as they will be read.
        weight: How much each row counts; all the same by default.
    """
    own = calibration.spread
    if own is None or own.reads != FEATURES:
        return calibration
    error = np.abs(y - said - calibration.shift)
    trees = learn_trees(FEATURES, error, said, features, weight)
    return replace(calibration, spread=replace(own, trees=trees))


def _cross_fitted(reads: str, error: np.ndarray, said: np.ndarray, features: np.ndarray | None, part: np.ndarray, weight: np.ndarray | None) -> np.ndarray:  # fmt: skip
    """The spread of every row, as the other parts teach it."""
    found = np.empty(len(error))
    for k in np.unique(part):
        own, rest = part == k, part != k
        trees = learn_trees(reads, error[rest], said[rest], None if features is None else features[rest], None if weight is None else weight[rest])  # fmt: skip
        spread = Spread(trees, reads, 1.0, 0.0)
        found[own] = spread(said[own], None if features is None else features[own])
    return found


def _shift(gap: np.ndarray, part: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """The median gap of the other parts, for every row."""
    found = np.empty(len(gap))
    for k in np.unique(part):
        rest = part != k
        found[~rest] = _median(gap[rest], None if weight is None else weight[rest])
    return found


def _median(values: np.ndarray, weight: np.ndarray | None) -> float:
    if weight is None:
        return float(np.median(values))
    order = np.argsort(values, kind="stable")
    sums = np.cumsum(weight[order])
    return float(values[order][np.searchsorted(sums, 0.5 * sums[-1])])


def _sorted(scores: np.ndarray, weight: np.ndarray | None, shift: float = 0.0, spread: Spread | None = None) -> Calibration:  # fmt: skip
    order = np.argsort(scores, kind="stable")
    return Calibration(scores[order], None if weight is None else weight[order], shift, spread)
