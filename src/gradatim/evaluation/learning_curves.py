"""How a model improves with the number of rows it learns from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from gradatim.errors import InvalidValue
from gradatim.evaluation.fold_fitting import fit_all, take
from gradatim.evaluation.scoring import Score, build_score
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
    score: str | Score | None = None,
    seed: int = 0,
) -> LearningCurve:
    """Cross-validate with growing parts of the training rows; a smaller part lies inside the larger ones.

    Args:
        model: Any scikit-learn estimator.
        X: Inputs, one row per sample.
        y: Targets.
        sizes: Numbers of training rows; six from a tenth to all if ``None``.
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
    splits = make_splits(y, folds, is_stratified=None if is_classifier(model) else False, seed=seed)
    most = min(len(train) for train, _ in splits)
    if sizes is None:
        sizes = np.unique(np.linspace(0.1, 1.0, 6) * most).astype(int).tolist()
    if min(sizes) < 1 or max(sizes) > most:
        raise InvalidValue(
            f"learning_curve: sizes must lie between 1 and {most}, the rows of a fold's training part, "
            f"got {list(sizes)}."
        )
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(train) for train, _ in splits]
    parts = [(take(X, o[:n]), y[o[:n]]) for n in sizes for o in orders]
    models = fit_all([model] * len(parts), parts)
    tests = [(take(X, test), y[test]) for _, test in splits] * len(sizes)
    shape = (len(sizes), len(splits))
    train = [metric.function(m, *part) for m, part in zip(models, parts, strict=True)]
    test = [metric.function(m, *part) for m, part in zip(models, tests, strict=True)]
    return LearningCurve(
        metric.name, tuple(sizes), np.reshape(train, shape), np.reshape(test, shape)
    )
