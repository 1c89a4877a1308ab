"""Fit many estimators, as one computation where they can."""

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

Part = tuple[Any, ...]


def take(X: Any, rows: Any) -> Any:
    """Return rows of an array or a data frame."""
    return _safe_indexing(X, rows)


def fit_all(estimators: Sequence[Any], parts: Sequence[Part]) -> list[Any]:
    """Fit a clone of each estimator to its pair ``(X, y)``, or to ``(X, y, sample_weight)``.

    Estimators that know ``fit_replicas``, such as :class:`gradatim.estimators.NeuralClassifier`, alone or at
    the end of a pipeline, train as one computation. Whatever comes before them is fitted to each pair alone.

    Args:
        estimators: One per pair.
        parts: Pairs ``(X, y)``, with the weights of the rows where they weigh; the last step of a pipeline gets them.

    Example:
        >>> from sklearn.linear_model import LinearRegression
        >>> model, = fit_all([LinearRegression()], [([[0.0], [1.0]], [1.0, 3.0])])
        >>> round(float(model.coef_[0]), 6)
        2.0
    """
    copies = [clone(estimator) for estimator in estimators]
    together = [(c, part) for c, part in zip(copies, parts, strict=True) if _is_replicable(c)]
    for copy, part in zip(copies, parts, strict=True):
        if not _is_replicable(copy):
            _fit(copy, *part)
    if together:
        finals, prepared = [], []
        for copy, (X, *rest) in together:
            final, Z = _beforelast_step(copy, X, rest[0])
            finals.append(final)
            prepared.append((Z, *rest))
        finals[0].fit_replicas(finals, prepared)
    return copies


def _fit(estimator: Any, X: Any, y: Any, weight: Any = None) -> None:
    if weight is None:
        estimator.fit(X, y)
        return
    is_chain = isinstance(estimator, Pipeline)
    name = f"{estimator.steps[-1][0]}__sample_weight" if is_chain else "sample_weight"
    estimator.fit(X, y, **{name: weight})


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or the estimator itself."""
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _is_replicable(estimator: Any) -> bool:
    return hasattr(last_step(estimator), "fit_replicas")


def _beforelast_step(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Fit all steps of a pipeline but the last; return the last and what it will see."""
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        X = estimator[:-1].fit_transform(X, y)
    return last_step(estimator), X
