r"""How well a model does on rows it has not seen.

.. math:: \hat E = \frac1K \sum_{k=1}^K E(D_k;\; f_{D \setminus D_k})
"""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from sklearn.base import is_classifier

from gradatim.evaluation.fold_fitting import fit_all, take
from gradatim.evaluation.samples import read_samples
from gradatim.evaluation.scoring import Score, ScoreFunction, build_score
from gradatim.evaluation.splits import Folds, Split, hold_outs, make_splits


@dataclass(frozen=True, eq=False, repr=False)
class CrossValidation:
    """Scores of a model on the folds that it did not learn from.

    Args:
        score: Name of the score.
        scores: One per fold.
        sizes: Test rows of each fold.
        splits: Training and test rows of each fold.
        models: The model fitted for each fold.
        seconds: Time for everything.
        weights: What the test rows of each fold weigh together, where rows weigh; else ``None``.
    """

    score: str
    scores: tuple[float, ...]
    sizes: tuple[int, ...]
    splits: tuple[Split, ...]
    models: tuple[Any, ...]
    seconds: float
    weights: tuple[float, ...] | None = None

    @property
    def mean(self) -> float:
        """Mean of the folds' scores."""
        return float(np.mean(self.scores))

    @property
    def pooled(self) -> float:
        """Mean over rows: folds count by their size, or by what their rows weigh."""
        return float(np.average(self.scores, weights=self.weights or self.sizes))

    @property
    def standard_error(self) -> float:
        """Standard deviation of the folds' scores over the root of their number."""
        return float(np.std(self.scores, ddof=1) / math.sqrt(len(self.scores)))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Interval of Student's t around the mean. Folds share rows, so it is somewhat too narrow."""
        half = float(stats.t.ppf(0.5 + level / 2, len(self.scores) - 1)) * self.standard_error
        return self.mean - half, self.mean + half

    def __repr__(self) -> str:
        spread = f" ± {self.standard_error:.2g}" if len(self.scores) > 1 else ""
        return f"CrossValidation({self.score} {self.mean:.4g}{spread}, {len(self.scores)} folds)"


def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    *,
    folds: Folds = 5,
    repeats: int = 1,
    score: str | Score | ScoreFunction | None = None,
    is_ordered: bool = False,
    groups: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    seed: int = 0,
) -> CrossValidation:
    """Fit on all folds but one, test on that one, for every fold.

    The model is cloned and refitted for each fold, with everything before it in a pipeline, so nothing
    learned from the test rows leaks. Networks train as one computation.

    Args:
        model: Any scikit-learn estimator.
        X: Inputs, one row per sample.
        y: Targets.
        folds: Number of folds, ``"leave-one-out"``, a splitter, or pairs of indices.
        repeats: Cuttings with different shuffles.
        score: Name of the score; accuracy, or ``mse`` for regression.
        is_ordered: Whether rows are in the order of time.
        groups: A label per row; rows of a group stay together.
        sample_weight: What each row counts for, in fitting and in the score; at least 0.
        seed: Fixes the shuffling.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        >>> cross_validate(LinearDiscriminantAnalysis(), *load_iris(return_X_y=True))
        CrossValidation(accuracy 0.98 ± 0.0082, 5 folds)
    """
    stratified = None if is_classifier(model) and not is_ordered else False
    splits = make_splits(
        y,
        folds,
        repeats=repeats,
        is_stratified=stratified,
        is_ordered=is_ordered,
        groups=groups,
        seed=seed,
    )
    return score_splits(model, X, y, splits, build_score(score, model), sample_weight)


def leave_one_out(
    model: Any, X: Any, y: Any, *, score: str | Score | ScoreFunction | None = None
) -> CrossValidation:
    """Fit on all rows but one and test on that one, for every row: N trainings.

    Args:
        model: An unfitted estimator.
        X: Inputs, shape ``(N, features)``.
        y: Targets.
        score: Name of a metric or a :class:`Score`; by default the usual one of the task.

    Example:
        >>> from sklearn.linear_model import LinearRegression
        >>> leave_one_out(LinearRegression(), [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).mean < 1e-20
        True
    """
    return cross_validate(model, X, y, folds="leave-one-out", score=score)


def repeated_hold_out(
    model: Any,
    X: Any,
    y: Any,
    *,
    repeats: int = 10,
    test_fraction: float = 0.2,
    score: str | Score | ScoreFunction | None = None,
    sample_weight: ArrayLike | None = None,
    seed: int = 0,
) -> CrossValidation:
    """Fit and test on random cuts of the data.

    Args:
        model: Any scikit-learn estimator.
        X: Inputs, one row per sample.
        y: Targets.
        repeats: Number of cuts.
        test_fraction: Share of the rows that is tested.
        score: Name of the score.
        sample_weight: What each row counts for, in fitting and in the score; at least 0.
        seed: Fixes the cuts.
    """
    stratified = None if is_classifier(model) else False
    splits = hold_outs(
        y, repeats=repeats, test_fraction=test_fraction, is_stratified=stratified, seed=seed
    )
    return score_splits(model, X, y, splits, build_score(score, model), sample_weight)


def score_splits(
    model: Any,
    X: Any,
    y: Any,
    splits: Sequence[Split],
    score: Score,
    sample_weight: ArrayLike | None = None,
) -> CrossValidation:
    """Fit and score ``model`` on given splits, whose rows may weigh."""
    started = time.perf_counter()
    samples = read_samples("cross_validate", model, X, y, sample_weight)
    samples.check("cross_validate", splits)
    models = fit_all([model] * len(splits), [samples.take(train).part for train, _ in splits])
    pairs = zip(models, splits, strict=True)
    scores = [samples.take(test).score(score, fitted) for fitted, (_, test) in pairs]
    sizes = tuple(len(test) for _, test in splits)
    weight = samples.weight
    weights = None if weight is None else tuple(float(weight[test].sum()) for _, test in splits)
    seconds = time.perf_counter() - started
    return CrossValidation(score.name, tuple(scores), sizes, tuple(splits), tuple(models), seconds, weights)  # fmt: skip


def out_of_fold(result: CrossValidation, X: Any) -> NDArray[Any]:
    """Return for every row the prediction of the model that did not learn from it.

    Args:
        result: A cross-validation whose folds cover every row once.
        X: The inputs it was made with.
    """
    pieces = [
        m.predict(take(X, test)) for m, (_, test) in zip(result.models, result.splits, strict=True)
    ]
    order = np.concatenate([test for _, test in result.splits])
    return np.concatenate(pieces)[np.argsort(order, kind="stable")]
