"""The simple models on pixels: frequencies or the mean, linear ones, nearest neighbours, trees."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from gradatim.fitting.images.tags import PerTag
from gradatim.fitting.tables.candidates import (  # fmt: skip
    NEAREST,
    RIDGE,
    TREES,
    fit_simple,
    from_logits,
    quietly,
)
from gradatim.fitting.tables.predictors import Fitted
from gradatim.fitting.tables.trees import forest_arrays

SIMPLE = ("class frequencies", "logistic regression on pixels", NEAREST, "random forest")
SIMPLE_VALUES = ("mean", f"{RIDGE} on pixels", NEAREST, TREES)
COARSE = 16  # pixels a side that simple models see at the most
COUNT = 100  # trees of a forest
CHUNK = 256  # pictures that are averaged at once


def pixel_features(images: np.ndarray) -> np.ndarray:
    """Flatten pictures after averaging them down to at most 16 × 16, brightness from -1 to 1.

    Args:
        images: Shape ``(N, side, side, channels)``, whole numbers from 0 to 255.

    Example:
        >>> pixel_features(np.full((1, 32, 32, 1), 255, dtype=np.uint8)).shape
        (1, 256)
    """
    parts = [images[start : start + CHUNK] for start in range(0, max(len(images), 1), CHUNK)]
    return np.concatenate([_average_down(part) for part in parts])


def _average_down(images: np.ndarray) -> np.ndarray:
    block = -(-images.shape[1] // COARSE)
    side = images.shape[1] // block * block
    cut = images[:, :side, :side].astype(np.float32)
    n, _, _, c = cut.shape
    small = cut.reshape(n, side // block, block, side // block, block, c).mean((2, 4))
    return (small.reshape(n, -1) / 127.5 - 1.0).astype(np.float64)


def fit_tags(name: str, X: np.ndarray, y: np.ndarray, seed: int, chosen: Sequence[Mapping[str, Any]] = ()) -> PerTag:  # fmt: skip
    """Fit a simple model to pixel features for each of several labels; one that all images have, or none, is counted only.

    Args:
        name: One of ``SIMPLE``.
        X: Features of :func:`pixel_features`.
        y: Ones and zeros, shape ``(N, labels)``.
        seed: Fixes trees and inner splits.
        chosen: Settings of the model for each label, once they were chosen.
    """
    names = [name if 0 < own.sum() < len(own) else SIMPLE[0] for own in y.T]
    settings = chosen or [{}] * len(names)
    return PerTag([fit_pixels(n, X, own, 2, seed, s) for n, own, s in zip(names, y.T, settings, strict=True)])  # fmt: skip


def fit_pixels(name: str, X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None = None) -> Fitted:  # fmt: skip
    """Fit a simple model to pixel features.

    Args:
        name: One of ``SIMPLE``, or of ``SIMPLE_VALUES`` for values.
        X: Features of :func:`pixel_features`.
        y: Class codes, or values.
        classes: Number of classes; 0 for values.
        seed: Fixes trees and inner splits.
        chosen: Settings of the model, once they were chosen.
    """
    if name == SIMPLE_VALUES[1]:
        return fit_simple(RIDGE, X, y, classes, seed, chosen)
    if name == SIMPLE[1]:
        with quietly():
            model = LogisticRegression(C=0.02, max_iter=60, tol=1e-3).fit(X, y)
        return from_logits(model.coef_, model.intercept_, model.classes_, classes)
    if name == SIMPLE[3]:
        forest = RandomForestClassifier(COUNT, min_samples_leaf=2, random_state=seed, n_jobs=-1)
        return forest_arrays(forest.fit(X, y), np.bincount(y, minlength=classes) / len(y))
    return fit_simple(name, X, y, classes, seed, chosen)
