"""Fit many estimators, as one computation where they can."""

from collections.abc import Sequence
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from gradatim.errors import InvalidValue

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
            final, Z = _before_last(copy, X, rest[0])
            finals.append(final)
            prepared.append((Z, *rest))
        finals[0].fit_replicas(finals, prepared)
    return copies


def _fit(estimator: Any, X: Any, y: Any, weight: Any = None) -> None:
    if weight is None:
        estimator.fit(X, y)
        return
    if not has_fit_parameter(_last(estimator), "sample_weight"):
        raise InvalidValue(
            f"cross_validate: sample_weight must not be given for {type(_last(estimator)).__name__}, whose fit takes none."
        )
    is_chain = isinstance(estimator, Pipeline)
    name = f"{estimator.steps[-1][0]}__sample_weight" if is_chain else "sample_weight"
    estimator.fit(X, y, **{name: weight})


def _last(estimator: Any) -> Any:
    return estimator.steps[-1][1] if isinstance(estimator, Pipeline) else estimator


def _is_replicable(estimator: Any) -> bool:
    return hasattr(_last(estimator), "fit_replicas")


def _before_last(estimator: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Fit all steps of a pipeline but the last; return the last and what it will see."""
    if isinstance(estimator, Pipeline) and len(estimator.steps) > 1:
        X = estimator[:-1].fit_transform(X, y)
    return _last(estimator), X
