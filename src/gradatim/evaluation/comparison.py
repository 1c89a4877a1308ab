"""Models side by side on the same folds, and which one to take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from gradatim.errors import InvalidValue
from gradatim.evaluation.cross_validation import CrossValidation, score_splits
from gradatim.evaluation.intervals import Interval, held_out_ratio
from gradatim.evaluation.occam import choose_by_occam
from gradatim.evaluation.scoring import Score, ScoreFunction, build_score
from gradatim.evaluation.splits import Folds, make_splits


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Cross-validations of several models on the same folds.

    Args:
        score: Name of the score.
        results: One per model, the simplest model first.
        best: The model with the best mean, its own noise considered.
        recommended: The simplest that is as good as the best (:func:`choose_by_occam`).
        differences: How much worse each model is than the best, positive is worse, with its interval.
    """

    score: str
    results: Mapping[str, CrossValidation]
    best: str
    recommended: str
    differences: Mapping[str, Interval]

    @property
    def conclusion(self) -> str:
        """The verdict in a sentence."""
        if self.best == next(iter(self.results)):
            return f"{self.best} is the simplest model and the best."
        if self.recommended == self.best:
            return f"{self.best} is best, and no simpler model is as good."
        gap, _, low, high = self.differences[self.recommended]
        return (
            f"Take {self.recommended}: it is as good as {self.best}, which is ahead by {gap:.2g} in {self.score} "
            f"(95 % interval {low:.2g} to {high:.2g})."
        )

    def __repr__(self) -> str:
        width = max(map(len, self.results))
        lines = [
            f"  {name:<{width}}  {result.mean:.4g} ± {result.standard_error:.2g}"
            for name, result in self.results.items()
        ]
        return "\n".join([f"Comparison({self.score})", *lines, f"  {self.conclusion}"])


def compare(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    folds: Folds = 10,
    repeats: int = 1,
    score: str | Score | ScoreFunction | None = None,
    is_ordered: bool = False,
    groups: Sequence[Any] | None = None,
    seed: int = 0,
) -> Comparison:
    """Cross-validate several models on the same folds and choose by Occam's rule (:func:`choose_by_occam`).

    Args:
        models: Estimators by name, **the simplest first**.
        X: Inputs, one row per sample.
        y: Targets.
        folds: As in :func:`cross_validate`.
        repeats: Cuttings with different shuffles.
        score: Name of the score.
        is_ordered: Whether rows are in the order of time.
        groups: A label per row; rows of a group stay together.
        seed: Fixes the shuffling.

    Example:
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.dummy import DummyClassifier
        >>> from sklearn.naive_bayes import GaussianNB
        >>> models = {"majority": DummyClassifier(), "Bayes": GaussianNB()}
        >>> compare(models, *load_iris(return_X_y=True)).recommended
        'Bayes'
    """
    if len(models) < 2:
        raise InvalidValue(f"compare: models must be at least two, got {len(models)}.")
    first = next(iter(models.values()))
    metric = build_score(score, first)
    splits = make_splits(
        y,
        folds,
        repeats=repeats,
        is_stratified=None if is_classifier(first) and not is_ordered else False,
        is_ordered=is_ordered,
        groups=groups,
        seed=seed,
    )
    results = {name: score_splits(model, X, y, splits, metric) for name, model in models.items()}
    sign = -1.0 if metric.higher_is_better else 1.0
    scores = {name: sign * np.asarray(result.scores) for name, result in results.items()}
    ratio = held_out_ratio(splits)
    best = sign * results[choose_by_occam(scores, ratio).best].mean
    # a share of what is missing: accuracy, AUC, R² and their kin end at 1, errors at 0
    scale = min(abs(best), abs(1.0 + best)) if metric.higher_is_better else None
    return Comparison(metric.name, results, *choose_by_occam(scores, ratio, scale=scale))
