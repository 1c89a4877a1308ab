"""Fit many estimators, as one computation where they can."""

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

Part = tuple[Any, Any]


def take(X: Any, rows: Any) -> Any:
    """Return rows of an array or a data frame."""
    return _safe_indexing(X, rows)


def fit_all(estimators: Sequence[Any], parts: Sequence[Part]) -> list[Any]:
    """Fit a clone of each estimator to its pair ``(X, y)``.

    Estimators that know ``fit_replicas``, such as :class:`gradatim.estimators.NeuralClassifier`, alone or at
    the end of a pipeline, train as one computation. Whatever comes before them is fitted to each pair alone.

    Args:
        estimators: One per pair.
        parts: Pairs ``(X, y)``.

    Example:
        >>> from sklearn.linear_model import LinearRegression
        >>> model, = fit_all([LinearRegression()], [([[0.0], [1.0]], [1.0, 3.0])])
        >>> round(float(model.coef_[0]), 6)
        2.0
    """
    copies = [clone(estimator) for estimator in estimators]
    together = [(c, part) for c, part in zip(copies, parts, strict=True) if _is_replicable(c)]
    for copy, (X, y) in zip(copies, parts, strict=True):
        if not _is_replicable(copy):
            copy.fit(X, y)
    if together:
        finals, prepared = [], []
        for copy, (X, y) in together:
            final, Z = _before_last(copy, X, y)
            finals.append(final)
            prepared.append((Z, y))
        finals[0].fit_replicas(finals, prepared)
    return copies


def _last(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _is_replicable(estimator: Any) -> bool:
    return hasattr(_last(estimator), "fit_replicas")


def _before_last(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Fit all steps of a pipeline but the last; return the last and what it will see."""
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        X = estimator[:-1].fit_transform(X, y)
    return _last(estimator), X
