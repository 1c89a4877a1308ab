"""How a model improves with the number of rows it learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from gradatim.errors import require
from gradatim.evaluation.fold_fitting import fit_all, take
from gradatim.evaluation.scoring import Score, ScoreFunction, build_score
from gradatim.evaluation.splits import Folds, make_splits


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve:
    """Scores by number of training rows.

    Args:
        score: Name of the score.
        sizes: Training rows.
        train: Score on the training rows, shape ``(sizes, folds)``.
        test: Score on the fold left out, shape ``(sizes, folds)``.
    """

    score: str
    sizes: tuple[int, ...]
    train: NDArray[np.float64]
    test: NDArray[np.float64]

    def __repr__(self) -> str:
        ends = ", ".join(
            f"{n}: {v:.3g}" for n, v in zip(self.sizes, self.test.mean(1), strict=True)
        )
        return f"LearningCurve({self.score} by training rows: {ends})"


def learning_curve(
    model: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[int] | None = None,
    folds: Folds = 5,
    score: str | Score | ScoreFunction | None = None,
    seed: int = 0,
) -> LearningCurve:
    """Cross-validate with growing parts of the training rows; a smaller part lies inside the larger ones.

    Where the model is a classifier, every part holds every class, in its share as nearly as whole rows allow.

    Args:
        model: Any scikit-learn estimator.
        X: Inputs, one row per sample.
        y: Targets.
        sizes: Numbers of training rows; six from a tenth to all if ``None``; for a classifier at least
            one per class.
        folds: As in :func:`cross_validate`.
        score: Name of the score.
        seed: Fixes the shuffling.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.naive_bayes import GaussianNB
        >>> curve = learning_curve(GaussianNB(), *load_iris(return_X_y=True), sizes=[30, 120])
        >>> curve.test.shape
        (2, 5)
    """
    metric, y = build_score(score, model), np.asarray(y)
    has_classes = is_classifier(model) and y.ndim == 1
    splits = make_splits(y, folds, is_stratified=None if is_classifier(model) else False, seed=seed)
    least = len(np.unique(y)) if has_classes else 1
    most = min(len(train) for train, _ in splits)
    if sizes is None:
        sizes = np.unique(np.maximum(np.linspace(0.1, 1.0, 6) * most, least).astype(int)).tolist()
    rule = f"learning_curve: sizes must lie between {least} and {most}"
    why = "the classes" if has_classes else "one row"
    rule += f", from {why} to the rows of a fold's training part"
    require(least <= min(sizes) and max(sizes) <= most, rule, list(sizes))
    rng = np.random.default_rng(seed)
    orders = [_nested_order(train, y[train] if has_classes else None, rng) for train, _ in splits]
    parts = [(take(X, o[:n]), y[o[:n]]) for n in sizes for o in orders]
    models = fit_all([model] * len(parts), parts)
    tests = [(take(X, test), y[test]) for _, test in splits] * len(sizes)
    shape = (len(sizes), len(splits))
    train = [metric.function(m, *part) for m, part in zip(models, parts, strict=True)]
    test = [metric.function(m, *part) for m, part in zip(models, tests, strict=True)]
    return LearningCurve(
        metric.name, tuple(sizes), np.reshape(train, shape), np.reshape(test, shape)
    )


def _nested_order(
    rows: NDArray[Any], classes: NDArray[Any] | None, rng: np.random.Generator
) -> NDArray[Any]:
    """Shuffle rows so that the first of them, however many, hold every class in its share.

    The first row of every class comes first; the i-th of n rows of a class stands at i / n of the way.

    >>> y = np.repeat([0, 1], [16, 4])
    >>> order = _nested_order(np.arange(20), y, np.random.default_rng(0))
    >>> [int(y[order[:n]].sum()) for n in (2, 10, 20)]
    [1, 2, 4]
    """
    order = rng.permutation(len(rows))
    if classes is None:
        return rows[order]
    _, codes, counts = np.unique(classes[order], return_inverse=True, return_counts=True)
    place = np.empty(len(rows))
    for code, count in enumerate(counts):
        place[codes == code] = np.arange(count) / count
    return rows[order[np.argsort(place, kind="stable")]]
