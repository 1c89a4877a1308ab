"""Figures of merit by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.base import is_classifier

from gradatim.errors import InvalidType, choose
from gradatim.training.metrics import MEASURES

ScoreFunction = Callable[[Any, Any, Any], float]


@dataclass(frozen=True)
class Score:
    """A number that a fitted model gets on data.

    Args:
        name: What it is called.
        higher_is_better: Which way is good.
        function: ``(model, X, y) -> number``.
    """

    name: str
    higher_is_better: bool
    function: ScoreFunction

    def is_better(self, a: float, b: float) -> bool:
        """Whether ``a`` beats ``b``; a number that is not finite beats nothing."""
        if not np.isfinite(a) or not np.isfinite(b):
            return bool(np.isfinite(a))
        return a > b if self.higher_is_better else a < b

    def best(self, values: list[float]) -> int:
        """Return the place of the best value, the first of equals."""
        best = 0
        for place, value in enumerate(values):
            best = place if self.is_better(value, values[best]) else best
        return best


def _of_prediction(metric: Callable[[Any, Any], float]) -> ScoreFunction:
    return lambda model, X, y: float(metric(y, model.predict(X)))


def _log_loss(model: Any, X: Any, y: Any) -> float:
    return float(metrics.log_loss(y, model.predict_proba(X), labels=model.classes_))


def _auc(model: Any, X: Any, y: Any) -> float:
    scores = model.predict_proba(X)
    scores = scores[:, 1] if scores.shape[1] == 2 else scores
    return float(metrics.roc_auc_score(y, scores, multi_class="ovr", labels=model.classes_))


_OF_PROBABILITIES: dict[str, ScoreFunction] = {"log_loss": _log_loss, "auc": _auc}

SCORES: dict[str, Score] = {
    name: Score(
        name,
        measure.higher_is_better,
        _OF_PROBABILITIES.get(name) or _of_prediction(getattr(metrics, measure.sklearn)),
    )
    for name, measure in MEASURES.items()
}


def build_score(score: str | Score | None, model: Any) -> Score:
    """Return the score called by a name, or as given; ``None`` is accuracy, or ``mse`` for regression.

    >>> from sklearn.linear_model import LogisticRegression
    >>> build_score(None, LogisticRegression()).name
    'accuracy'
    """
    if score is None:
        score = "accuracy" if is_classifier(model) else "mse"
    if isinstance(score, Score):
        return score
    if not isinstance(score, str):
        raise InvalidType(
            f"build_score: score must be a name or a Score, got {score!r}. Names: {', '.join(SCORES)}."
        )
    return SCORES[choose("build_score", "score", score, SCORES)]
