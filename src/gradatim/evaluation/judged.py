"""Predictions beside the truth, and every figure of them: rows may weigh, and decisions may be other than the likeliest.

A row of weight 2 counts as two equal rows would, in every figure.
"""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

FLOOR = 1e-7  # a probability below counts as this


class Ranking(NamedTuple):
    """How well scores put one class before the others: area under the curve, and average precision."""

    auc: float
    average_precision: float


def decide_classes(output: np.ndarray, decision: np.ndarray | None = None) -> np.ndarray:
    r"""The class that is said of every row, from its probabilities.

    .. math:: \arg\max_k p_k, \qquad \arg\max_k w_k p_k, \qquad \arg\min_k \sum_j p_j C_{jk}

    A threshold :math:`t` of the second of two classes is :math:`w = (t, 1 - t)`.

    Args:
        output: Probabilities :math:`p`, shape ``(N, K)``.
        decision: ``None``, weights :math:`w` of the classes ``(K,)``, or costs :math:`C` of saying a class (columns) where
            another is true (rows), ``(K, K)``.

    Example:
        >>> p = np.array([[0.9, 0.1], [0.7, 0.3]])
        >>> decide_classes(p).tolist(), decide_classes(p, np.array([0.2, 0.8])).tolist()
        ([0, 0], [0, 1])
        >>> decide_classes(p, np.array([[0.0, 1.0], [20.0, 0.0]])).tolist()
        [1, 1]
    """
    if decision is None:
        return output.argmax(1)
    return (output * decision).argmax(1) if decision.ndim == 1 else (output @ decision).argmin(1)


def rank(score: np.ndarray, is_positive: np.ndarray, weight: np.ndarray) -> Ranking:
    """Area under the receiver operating characteristic, and average precision; NaN without rows of both kinds.

    Args:
        score: The higher, the surer of the class, shape ``(N,)``.
        is_positive: Whether a row is of the class.
        weight: Of every row.

    Example:
        >>> rank(np.array([0.9, 0.4, 0.1]), np.array([True, False, True]), np.ones(3))
        Ranking(auc=0.5, average_precision=0.8333333333333333)
    """
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)  # of rows with equal scores
    hits = np.cumsum(np.where(is_positive, weight, 0.0)[order])[last]
    alarms = np.cumsum(np.where(is_positive, 0.0, weight)[order])[last]
    if not (hits[-1] > 0 and alarms[-1] > 0):
        return Ranking(float("nan"), float("nan"))
    auc = np.trapezoid(np.append(0.0, hits), np.append(0.0, alarms)) / (hits[-1] * alarms[-1])
    total = hits + alarms
    precision = np.divide(hits, total, out=np.ones_like(hits), where=total > 0)
    average = (np.diff(hits, prepend=0.0) * precision).sum() / hits[-1]
    return Ranking(float(auc), float(average))


class Judged:
    """What was said of rows, beside what is true.

    Args:
        y: Class codes, or values, shape ``(N,)``.
        output: Probabilities ``(N, classes)``, or values ``(N,)``.
        classes: Number of classes; 0 for regression.
        weight: Of every row; 1 by default.
        decision: As in :func:`decide_classes`.
        costs: Costs of saying a class (columns) where another is true (rows).
        said: The class that is said of every row, where it is known.
    """

    def __init__(
        self,
        y: np.ndarray,
        output: np.ndarray,
        classes: int,
        *,
        weight: np.ndarray | None = None,
        decision: np.ndarray | None = None,
        costs: np.ndarray | None = None,
        said: np.ndarray | None = None,
    ) -> None:
        self.y, self.output, self.classes, self.costs = y, output, classes, costs
        self.decision, self._said = decision, said
        self.share = np.full(len(y), 1.0 / len(y)) if weight is None else weight / weight.sum()
        self.weight = weight

    # --- classes

    @cached_property
    def said(self) -> np.ndarray:
        """The class that is said of every row."""
        return decide_classes(self.output, self.decision) if self._said is None else self._said

    @cached_property
    def confusion(self) -> np.ndarray:
        """Share of the rows by true class and class said, shape ``(K, K)``."""
        k = self.classes
        return np.bincount(self.y * k + self.said, self.share, k * k).reshape(k, k)

    @cached_property
    def ranking(self) -> Ranking:
        """Of the second of two classes; of more, the mean over the classes that rows of both kinds are there of."""
        codes = [1] if self.classes == 2 else range(self.classes)
        found = [rank(self.output[:, k], self.y == k, self.share) for k in codes]
        known = [own for own in found if np.isfinite(own.auc)]
        if not known:
            return Ranking(float("nan"), float("nan"))
        return Ranking(*np.mean(known, axis=0).tolist())

    def log_loss(self) -> float:
        """Mean of minus the logarithm of the probability of what is true."""
        p = np.clip(self.output[np.arange(len(self.y)), self.y], FLOOR, 1.0)
        return float(-(np.log(p) @ self.share))

    def recalls(self) -> np.ndarray:
        """Share of each class that is found; NaN for a class without rows."""
        return _ratio(self.confusion.diagonal(), self.confusion.sum(1))

    def precisions(self) -> np.ndarray:
        """Share of what is said to be of a class that is; NaN for a class that is never said."""
        return _ratio(self.confusion.diagonal(), self.confusion.sum(0))

    def f1s(self) -> np.ndarray:
        """F1 of each class; NaN for one that is neither said nor there."""
        return _ratio(2 * self.confusion.diagonal(), self.confusion.sum(0) + self.confusion.sum(1))

    def of_classes(self, by_class: np.ndarray) -> float:
        """The figure of the second of two classes, 0 where it has none; of more the mean over those said or there."""
        values = np.nan_to_num(by_class)
        if self.classes == 2:
            return float(values[1])
        is_met = (self.confusion.sum(0) + self.confusion.sum(1)) > 0
        return float(values[is_met].mean())

    def cost(self) -> float:
        """Mean cost of a row."""
        assert self.costs is not None
        return float((self.confusion * self.costs).sum())

    # --- values; squares of huge numbers would overflow, so they are scaled

    @cached_property
    def largest(self) -> float:
        """The largest absolute value."""
        return float(np.abs(self.y).max()) or 1.0

    @cached_property
    def gap(self) -> np.ndarray:
        """Truth minus prediction, scaled."""
        return (self.y - self.output) / self.largest

    def mse(self) -> float:
        """Mean squared error."""
        return float((self.gap**2) @ self.share) * self.largest**2

    def rmse(self) -> float:
        """Root mean squared error."""
        return float(np.sqrt((self.gap**2) @ self.share) * self.largest)

    def mae(self) -> float:
        """Mean absolute error."""
        return float(np.abs(self.gap) @ self.share * self.largest)

    def mape(self) -> float:
        """Mean absolute error as a share of the truth; NaN where that is 0."""
        if not self.y.all():
            return float("nan")
        return float(np.abs((self.y - self.output) / self.y) @ self.share)

    def r2(self) -> float:
        """Share of the variance that is explained; NaN where there is none."""
        y = self.y / self.largest
        total = float((y - y @ self.share) ** 2 @ self.share)
        return 1.0 - float((self.gap**2) @ self.share) / total if total else float("nan")

    def pinball(self, level: float) -> float:
        """Mean pinball loss of a quantile."""
        error = self.gap
        return float(np.maximum(level * error, (level - 1) * error) @ self.share * self.largest)


def _ratio(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.divide(a, b, out=np.full(len(a), np.nan), where=b > 0)


FIGURES: dict[str, Callable[[Judged], float]] = {
    "log_loss": Judged.log_loss,
    "accuracy": lambda j: float(j.confusion.trace()),
    "error": lambda j: 1.0 - float(j.confusion.trace()),
    "balanced_accuracy": lambda j: float(np.nanmean(j.recalls())),
    "macro_f1": lambda j: float(np.nanmean(j.f1s())),
    "f1": lambda j: j.of_classes(j.f1s()),
    "precision": lambda j: j.of_classes(j.precisions()),
    "recall": lambda j: j.of_classes(j.recalls()),
    "auc": lambda j: j.ranking.auc,
    "average_precision": lambda j: j.ranking.average_precision,
    "cost": Judged.cost,
    "mse": Judged.mse,
    "rmse": Judged.rmse,
    "mae": Judged.mae,
    "mape": Judged.mape,
    "r2": Judged.r2,
}
