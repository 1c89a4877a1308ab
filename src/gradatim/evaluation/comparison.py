"""Models side by side on the same folds, and which one to take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats
from sklearn.base import is_classifier

from gradatim.errors import InvalidValue
from gradatim.evaluation.cross_validation import CrossValidation, score_splits
from gradatim.evaluation.scoring import Score, build_score
from gradatim.evaluation.splits import Folds, make_splits


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Cross-validations of several models on the same folds.

    Args:
        score: Name of the score.
        results: One per model, the simplest model first.
        best: The model with the best mean.
        recommended: Occam's choice: the simplest model that is not clearly worse than the best.
        differences: How much worse each model is than the best, positive is worse, with its interval.
    """

    score: str
    results: Mapping[str, CrossValidation]
    best: str
    recommended: str
    differences: Mapping[str, tuple[float, float, float]]

    @property
    def conclusion(self) -> str:
        """The verdict in a sentence."""
        if self.best == next(iter(self.results)):
            return f"{self.best} is the simplest model and the best."
        if self.recommended == self.best:
            return f"{self.best} is best, and no simpler model comes close."
        gap, low, high = self.differences[self.recommended]
        return (
            f"Take {self.recommended}: {self.best} is ahead by {gap:.2g} in {self.score}, which is within "
            f"the noise (95 % interval {low:.2g} to {high:.2g})."
        )

    def __repr__(self) -> str:
        width = max(map(len, self.results))
        lines = [
            f"  {name:<{width}}  {result.mean:.4g} ± {result.standard_error:.2g}"
            for name, result in self.results.items()
        ]
        return "\n".join([f"Comparison({self.score})", *lines, f"  {self.conclusion}"])


def paired_difference(
    a: Sequence[float], b: Sequence[float], *, test_share: float, level: float = 0.95
) -> tuple[float, float, float]:
    r"""Mean of ``a - b`` over folds with the interval of the corrected t-test.

    .. math:: \bar d \pm t_{K-1}\sqrt{\Bigl(\frac1K + \frac{n_\text{test}}{n_\text{train}}\Bigr) s_d^2}

    Folds share training rows; the second term corrects for that.

    Args:
        a: Scores by fold.
        b: Scores on the same folds.
        test_share: Test rows over all rows of a fold.
        level: Coverage of the interval.

    Example:
        >>> paired_difference([0.5, 0.75], [0.25, 0.5], test_share=0.5)
        (0.25, 0.25, 0.25)

    Reference:
        Nadeau and Bengio, Inference for the generalization error, 2003.
    """
    gaps = np.subtract(a, b)
    mean, count = float(gaps.mean()), len(gaps)
    width = np.sqrt((1 / count + test_share / (1 - test_share)) * gaps.var(ddof=1))
    half = float(stats.t.ppf(0.5 + level / 2, count - 1) * width)
    return mean, mean - half, mean + half


def compare(
    models: Mapping[str, Any],
    X: Any,
    y: Any,
    *,
    folds: Folds = 10,
    repeats: int = 1,
    score: str | Score | None = None,
    is_ordered: bool = False,
    groups: Sequence[Any] | None = None,
    seed: int = 0,
) -> Comparison:
    """Cross-validate several models on the same folds and choose by Occam's rule.

    Args:
        models: Estimators by name, **the simplest first**: among models that the data cannot tell apart
            (95 % interval of the paired difference to the best reaches zero), the first one wins.
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
    names = list(results)
    best = names[metric.best([results[name].mean for name in names])]
    share = float(np.mean([len(test) / (len(train) + len(test)) for train, test in splits]))
    sign = -1.0 if metric.higher_is_better else 1.0
    differences = {}
    for name, result in results.items():
        ours, theirs = np.multiply(result.scores, sign), np.multiply(results[best].scores, sign)
        differences[name] = paired_difference(ours.tolist(), theirs.tolist(), test_share=share)
    recommended = next(name for name in names if name == best or differences[name][1] <= 0.0)
    return Comparison(metric.name, results, best, recommended, differences)
