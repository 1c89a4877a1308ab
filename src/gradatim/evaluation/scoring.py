"""Figures of merit by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import metrics
from sklearn.base import is_classifier

from gradatim.errors import InvalidType, InvalidValue, choose, nearest_first
from gradatim.training.metrics import MEASURES

ScoreFunction = Callable[..., float]


@dataclass(frozen=True)
class Score:
    """A number that a fitted model gets on data.

    Args:
        name: What it is called.
        higher_is_better: Which way is good.
        function: ``(model, X, y) -> number``; for rows that weigh, it is also given ``sample_weight=``.
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


def _of_prediction(metric: Callable[..., float]) -> ScoreFunction:
    return lambda model, X, y, **weight: float(metric(y, model.predict(X), **weight))


def _log_loss(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    odds = model.predict_proba(X)
    return float(metrics.log_loss(y, odds, labels=model.classes_, sample_weight=sample_weight))


def _auc(model: Any, X: Any, y: Any, **weight: Any) -> float:
    scores = model.predict_proba(X)
    scores = scores[:, 1] if scores.shape[1] == 2 else scores
    return float(
        metrics.roc_auc_score(y, scores, multi_class="ovr", labels=model.classes_, **weight)
    )


def _of_classes(metric: Callable[..., float]) -> ScoreFunction:
    """Of the second of two classes, the mean over classes of more."""

    def function(model: Any, X: Any, y: Any, **weight: Any) -> float:
        guess = model.predict(X)
        if len(model.classes_) == 2:
            return float(metric(y, guess, pos_label=model.classes_[1], zero_division=0, **weight))
        return float(metric(y, guess, average="macro", zero_division=0, **weight))

    return function


def _macro_f1(model: Any, X: Any, y: Any, **weight: Any) -> float:
    guess = model.predict(X)
    return float(metrics.f1_score(y, guess, average="macro", zero_division=0, **weight))


def _average_precision(model: Any, X: Any, y: Any, **weight: Any) -> float:
    """Of the second of two classes; of more the mean over classes, each against the rest."""
    scores = model.predict_proba(X)
    if scores.shape[1] == 2:
        return float(
            metrics.average_precision_score(y, scores[:, 1], pos_label=model.classes_[1], **weight)
        )
    is_class = np.asarray(y)[:, None] == model.classes_
    return float(metrics.average_precision_score(is_class, scores, average="macro", **weight))


_SPECIAL: dict[str, ScoreFunction] = {
    "log_loss": _log_loss,
    "auc": _auc,
    "precision": _of_classes(metrics.precision_score),
    "recall": _of_classes(metrics.recall_score),
    "f1": _of_classes(metrics.f1_score),
    "macro_f1": _macro_f1,
    "average_precision": _average_precision,
}

SCORES: dict[str, Score] = {
    name: Score(
        name,
        measure.higher_is_better,
        _SPECIAL.get(name) or _of_prediction(getattr(metrics, measure.sklearn)),
    )
    for name, measure in MEASURES.items()
}


def build_score(score: str | Score | ScoreFunction | None, model: Any) -> Score:
    """Return the score called by a name, or as given; ``None`` is accuracy, or ``mse`` for regression.

    Args:
        score: One of :data:`SCORES`; another name that scikit-learn's ``scoring`` knows, such as ``"f1_weighted"`` or
            ``"neg_log_loss"``; a function ``(model, X, y) -> number``, such as of ``make_scorer``, of which, as in
            scikit-learn, more is better; or a :class:`Score`.
        model: What will be scored.

    Example:
        >>> from sklearn.linear_model import LogisticRegression
        >>> build_score(None, LogisticRegression()).name
        'accuracy'
        >>> build_score("neg_log_loss", LogisticRegression()).higher_is_better
        True
    """
    if score is None:
        score = "accuracy" if is_classifier(model) else "mse"
    if isinstance(score, Score):
        return score
    if isinstance(score, str):
        if score in SCORES:
            return SCORES[score]
        others = metrics.get_scorer_names()
        if score not in others:
            choose("build_score", "score", score, [*SCORES, *nearest_first(score, others)[:5]])
        scorer = metrics.get_scorer(score)
        return Score(
            score, True, lambda model, X, y, **weight: float(scorer(model, X, y, **weight))
        )
    if not callable(score):
        raise InvalidType(
            "build_score: score must be a name, a function (model, X, y) -> number or a Score, "
            f"got {score!r}. Names: {', '.join(SCORES)}, and those of scikit-learn's scoring."
        )
    function: ScoreFunction = score
    name = _name_of(function)
    module = getattr(function, "__module__", None) or ""
    if module.startswith("sklearn.metrics.") and not hasattr(function, "_score_func"):
        raise InvalidValue(
            f"build_score: score must be a function (model, X, y) -> number, got the metric {name} of "
            f"(y, prediction). Try make_scorer({name})."
        )
    return Score(name, True, lambda model, X, y, **weight: float(function(model, X, y, **weight)))


def _name_of(function: Any) -> str:
    """Name of a function, also of one inside scikit-learn's ``make_scorer``, or within ``partial``."""
    for part in ("_score_func", "func"):
        function = getattr(function, part, function)
    return getattr(function, "__name__", type(function).__name__)
