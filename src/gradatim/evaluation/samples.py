"""Rows with targets and what each counts for, in fitting and in scores: a row of weight 3 is three rows."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import has_fit_parameter

from gradatim.errors import require
from gradatim.evaluation.fold_fitting import Part, last_step, take
from gradatim.evaluation.scoring import Score
from gradatim.evaluation.splits import Split
from gradatim.training.row_weights import check_weights


class Samples(NamedTuple):
    """What a model learns from, or is judged by.

    Args:
        X: Inputs, one row per sample.
        y: Targets.
        weight: What each row counts for; ``None`` where all count the same.
    """

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None = None

    def take(self, rows: NDArray[Any]) -> "Samples":
        """Some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Samples(take(self.X, rows), self.y[rows], weight)

    @property
    def part(self) -> Part:
        """As :func:`~gradatim.evaluation.fold_fitting.fit_all` takes them."""
        return (self.X, self.y) if self.weight is None else (self.X, self.y, self.weight)

    def score(self, metric: Score, fitted: Any) -> float:
        """How good a fitted model is on these rows."""
        if self.weight is None:
            return metric.function(fitted, self.X, self.y)
        return metric.function(fitted, self.X, self.y, sample_weight=self.weight)

    def check(self, owner: str, splits: Sequence[Split]) -> None:
        """Refuse splits with a part none of whose rows counts."""
        if self.weight is None:
            return
        empty = [i for i, parts in enumerate(splits) if any(not self.weight[rows].any() for rows in parts)]  # fmt: skip
        rule = f"{owner}: sample_weight must leave rows that count in every part of every fold"
        require(not empty, rule, f"none in fold {empty[0]}" if empty else "")


def read_samples(
    owner: str, model: Any, X: Any, y: Any, sample_weight: ArrayLike | None
) -> Samples:
    """Rows that a model can learn from; weights that it cannot take, or that are none, are refused.

    Args:
        owner: Who asks, for messages.
        model: An estimator.
        X: Inputs, one row per sample.
        y: Targets.
        sample_weight: What each row counts for; ``None`` where all count the same.
    """
    y = np.asarray(y)
    if sample_weight is None:
        return Samples(X, y)
    last = last_step(model)
    rule = (
        f"{owner}: sample_weight must be left out for {type(last).__name__}, whose fit takes none"
    )
    require(has_fit_parameter(last, "sample_weight"), rule, "weights")
    return Samples(X, y, check_weights(owner, "sample_weight", sample_weight, len(y)))
