"""Trees on features of whole things, of which there are few: series, graphs."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

from gradatim.fitting.tables import candidates as tables
from gradatim.fitting.tables.predictors import Fitted
from gradatim.fitting.tables.trees import forest_arrays

TREES = 200


def grow_trees(
    X: np.ndarray, y: np.ndarray, classes: int, seed: int, chosen: Mapping[str, Any] | None = None
) -> Fitted:
    """A forest for classes, as few rows suffice for it; boosted trees for values.

    Args:
        X: Features, shape ``(N, features)``.
        y: Classes or values.
        classes: Number of classes; 0 for regression.
        seed: Fixes the draws.
        chosen: Settings of boosted trees on fewer rows; they stay.
    """
    if not classes:
        return tables.fit_simple(tables.TREES, X, y, classes, seed, chosen)
    forest = ExtraTreesClassifier(TREES, max_features="sqrt", random_state=seed)
    with tables.quietly():
        forest.fit(X.astype(np.float32), y)
    return forest_arrays(forest, np.bincount(y, minlength=classes) / len(y))
