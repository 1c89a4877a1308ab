r"""Cross-validation that chooses hyper-parameters inside every fold.

.. math:: \theta_k^* = \arg\min_\theta \frac1M \sum_m E(D_{km};\theta), \qquad \hat E = \frac1K\sum_k E(D_k;\theta_k^*)
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone, is_classifier
from sklearn.model_selection import ParameterGrid

from gradatim.errors import InvalidValue
from gradatim.evaluation.fold_fitting import fit_all
from gradatim.evaluation.samples import Samples, read_samples
from gradatim.evaluation.scoring import Score, ScoreFunction, build_score
from gradatim.evaluation.splits import Folds, Split, make_splits

OWNER = "nested_cross_validate"

Choice = Mapping[str, Any]


@dataclass(frozen=True)
class NestedCrossValidation:
    """An estimate that the choice of hyper-parameters did not see.

    Args:
        score: Name of the score.
        scores: One per outer fold.
        choices: What the inner folds chose in each outer fold.
        selected: Inner score of each choice: optimistic, for it was picked as the best.
        final_choice: What the inner procedure chooses on all rows; use this.
        trainings: (K + 1)·M·|Θ| + K: the choice is made in every outer fold and once on all rows.
    """

    score: str
    scores: tuple[float, ...]
    choices: tuple[Choice, ...]
    selected: tuple[float, ...]
    final_choice: Choice
    trainings: int

    @property
    def mean(self) -> float:
        """Mean of the outer folds' scores."""
        return float(np.mean(self.scores))

    @property
    def standard_error(self) -> float:
        """Standard deviation of the outer scores over the root of their number."""
        return float(np.std(self.scores, ddof=1) / np.sqrt(len(self.scores)))

    @property
    def optimism(self) -> float:
        """Mean of the selected inner scores minus mean of the outer ones."""
        return float(np.mean(self.selected)) - self.mean

    def __repr__(self) -> str:
        return (
            f"NestedCrossValidation({self.score} {self.mean:.4g} ± {self.standard_error:.2g}, "
            f"{len(self.scores)} outer folds, {self.trainings} trainings, final choice {dict(self.final_choice)})"
        )


def score_choices(
    model: Any, samples: Samples, choices: Sequence[Choice], splits: Sequence[Split], score: Score
) -> np.ndarray:
    """Cross-validate every choice on the same folds, all at once where networks allow it.

    Returns:
        Scores, shape ``(choices, folds)``; not a number where a training diverged.
    """
    parts = [samples.take(train).part for train, _ in splits]
    tests = [samples.take(test) for _, test in splits]

    def fitted(some: Sequence[Choice]) -> list[Any]:
        models = [clone(model).set_params(**choice) for choice in some for _ in splits]
        return fit_all(models, parts * len(some))

    try:
        models = fitted(choices)
    except ArithmeticError:  # a training diverged: find out which
        models = [one for choice in choices for one in _fit_or_nothing(fitted, choice, len(splits))]
    scores = [
        np.nan if one is None else test.score(score, one)
        for one, test in zip(models, tests * len(choices), strict=True)
    ]
    return np.array(scores).reshape(len(choices), len(splits))


def _fit_or_nothing(
    fitted: Callable[[Sequence[Choice]], list[Any]], choice: Choice, count: int
) -> list[Any]:
    try:
        return fitted([choice])
    except ArithmeticError:
        return [None] * count


def _best_of(
    model: Any, samples: Samples, choices: Sequence[Choice], splits: Sequence[Split], score: Score
) -> tuple[Choice, float]:
    """The choice that does best over ``splits``, and its mean score."""
    samples.check(OWNER, splits)
    means = score_choices(model, samples, choices, splits, score).mean(1).tolist()
    best = score.best(means)
    return choices[best], means[best]


def nested_cross_validate(
    model: Any,
    X: Any,
    y: Any,
    grid: Mapping[str, Sequence[Any]] | Sequence[Choice],
    *,
    folds: Folds = 5,
    inner_folds: Folds = 3,
    score: str | Score | ScoreFunction | None = None,
    groups: Sequence[Any] | None = None,
    sample_weight: ArrayLike | None = None,
    seed: int = 0,
) -> NestedCrossValidation:
    """Estimate the error of *choosing and fitting*, with the choice made anew inside every fold.

    Args:
        model: Any scikit-learn estimator.
        X: Inputs, one row per sample.
        y: Targets.
        grid: Values of each hyper-parameter, or a list of choices.
        folds: Outer folds, K.
        inner_folds: Inner folds, M: their number, or a splitter.
        score: Name of the score; it is minimized or maximized as its nature demands.
        groups: A label per row; rows of a group stay together.
        sample_weight: What each row counts for, in fitting and in the scores of both loops; at least 0.
        seed: Fixes the shuffling.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> result = nested_cross_validate(KNeighborsClassifier(), X, y, {"n_neighbors": range(1, 11)})
        >>> result.trainings
        185
    """
    choices = list(ParameterGrid(grid)) if isinstance(grid, Mapping) else list(grid)
    if not choices:
        raise InvalidValue(f"{OWNER}: grid must hold at least one choice, got none.")
    metric, samples = build_score(score, model), read_samples(OWNER, model, X, y, sample_weight)
    labels = None if groups is None else np.asarray(groups)
    stratified = None if is_classifier(model) else False

    def split(rows: np.ndarray, count: Folds) -> list[Split]:
        own = None if labels is None else labels[rows]
        return make_splits(samples.y[rows], count, is_stratified=stratified, groups=own, seed=seed)

    everywhere = np.arange(len(samples.y))
    outer = split(everywhere, folds)
    samples.check(OWNER, outer)
    inner = [split(rows, inner_folds) for rows in (*(train for train, _ in outer), everywhere)]
    picked = [
        _best_of(model, samples.take(train), choices, splits, metric)
        for (train, _), splits in zip(outer, inner[:-1], strict=True)
    ]
    models = [clone(model).set_params(**choice) for choice, _ in picked]
    fitted = fit_all(models, [samples.take(train).part for train, _ in outer])
    pairs = zip(fitted, outer, strict=True)
    scores = [samples.take(test).score(metric, one) for one, (_, test) in pairs]
    final, _ = _best_of(model, samples, choices, inner[-1], metric)
    return NestedCrossValidation(
        metric.name,
        tuple(scores),
        tuple(choice for choice, _ in picked),
        tuple(value for _, value in picked),
        final,
        trainings=sum(map(len, inner)) * len(choices) + len(outer),
    )
