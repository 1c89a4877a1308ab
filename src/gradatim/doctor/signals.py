"""What simple models find in the rows: where they find nothing, a network cannot be blamed."""

from collections import Counter
from typing import Any

import numpy as np


def simple_scores(X: np.ndarray, y: np.ndarray) -> dict[str, float]:
    """Share of a constant's error that simple models take away, in cross-validation, and what chance may feign: ``"chance"``."""
    from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
    from sklearn.linear_model import RidgeClassifier, RidgeCV
    from sklearn.model_selection import cross_val_score
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    target = y[:, 0] if y.shape[1] == 1 else y
    is_classes = target.ndim == 1 and len(np.unique(target)) <= 50 and np.equal(target, np.round(target)).all()  # fmt: skip
    models: dict[str, Any]
    if is_classes:
        counts = Counter(target.tolist())
        if min(counts.values()) < 3 or len(counts) < 2:
            return {}
        base = 1 / len(counts)  # every class counts the same, however rare it is
        models = {"ridge": RidgeClassifier(class_weight="balanced"), "neighbours": KNeighborsClassifier(7), "trees": ExtraTreesClassifier(60, class_weight="balanced", random_state=0)}  # fmt: skip
        scoring = "balanced_accuracy"
    else:
        base, scoring = 0.0, "r2"
        models = {"ridge": RidgeCV(), "neighbours": KNeighborsRegressor(7), "trees": ExtraTreesRegressor(60, random_state=0)}  # fmt: skip
    scores = {}
    for name, model in models.items():
        fitted = cross_val_score(make_pipeline(StandardScaler(), model), X, target, cv=3, scoring=scoring)  # fmt: skip
        scores[name] = (float(fitted.mean()) - base) / max(1 - base, 1e-9)
    # twice the standard error of an accuracy, or of a coefficient of determination where there is nothing
    width = (base * (1 - base)) ** 0.5 / (1 - base) if is_classes else 1.0
    return scores | {"chance": 2 * width / len(target) ** 0.5}
