r"""How far a model may be wrong: scores of rows that it had not learned from, and the intervals and sets they make.

.. math:: \hat y(x) + m \pm \hat q\,\hat\sigma(x), \qquad \{k : 1 - p_k(x) \le \hat q\}

with :math:`\hat q` the :func:`~gradatim.evaluation.conformal_radius` of the scores :math:`|y_i-\hat y_i-m|/\hat\sigma_i` or
:math:`1-p_{y_i}`, and :math:`\hat\sigma` the :mod:`~gradatim.fitting.spread`, 1 where errors are plain.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.errors import InvalidValue, require
from gradatim.evaluation.conformal import (
    conformal_radius,
    effective_count,
    largest_coverage,
    prediction_sets,
)
from gradatim.evaluation.judged import decide_classes
from gradatim.fitting.spread import Spread
from gradatim.fitting.stored import Facts, arrays_from
from gradatim.model_folder import gather_tensors, tensors_from, tensors_of

LOW, HIGH, SET = "low", "high", "set"  # columns
PREDICTION = "prediction"


def check_coverage(owner: str, coverage: float) -> float:
    """Return a share of new cases that an interval shall hold.

    Example:
        >>> check_coverage("predict", 90)
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: predict: coverage must be a share between 0 and 1, got 90. Try 0.9.
    """
    is_number = isinstance(coverage, int | float) and not isinstance(coverage, bool)
    is_share = is_number and 0 < coverage < 1
    hint = coverage / 100 if is_number and 50 <= coverage < 100 else 0.9  # a share in per cent
    require(is_share, f"{owner}: coverage must be a share between 0 and 1", coverage, f"Try {hint:g}.")  # fmt: skip
    return float(coverage)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Scores of a model, and what makes intervals of them.

    Args:
        scores: Of rows that it had not learned from, shape ``(n,)``.
        weight: How much each of them counts; ``None`` where all count the same.
        shift: Where the middle of an interval lies beside the prediction, :math:`m`: not at it where a quantile is predicted.
        spread: How far the model errs on a row; ``None`` for the same everywhere, and for classes.
    """

    scores: np.ndarray
    weight: np.ndarray | None = None
    shift: float = 0.0
    spread: Spread | None = None

    @property
    def count(self) -> float:
        """Equal rows that the scores tell as much as."""
        return len(self.scores) if self.weight is None else effective_count(self.weight)

    @property
    def most(self) -> float:
        """The largest share of new cases that can be promised."""
        return largest_coverage(self.count)

    def radius(self, coverage: float) -> float:
        """The score that a share ``coverage`` of new cases stays below; more than the scores can promise is refused."""
        found = conformal_radius(self.scores, check_coverage("predict", coverage), self.weight)
        if math.isinf(found):
            rows = f"{len(self.scores):,} rows" + ("" if self.weight is None else f" that weigh as {self.count:.3g}")  # fmt: skip
            most = math.floor(1000 * self.most) / 1000
            raise InvalidValue(
                f"predict: coverage must be at most {most:g} for intervals from {rows}, got {coverage}. "
                "Fit more rows to promise more."
            )
        return found

    def bounds(self, output: np.ndarray, coverage: float, features: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
        """Return the ends of the interval of every row.

        Args:
            output: What the model says, shape ``(N,)``.
            coverage: Share of new cases whose value lies between them.
            features: Of the rows, where the spread reads them.
        """
        radius = self.radius(coverage)
        reach = radius if self.spread is None else radius * self.spread(output, features)
        middle = output + self.shift
        return middle - reach, middle + reach

    def sets(self, output: np.ndarray, coverage: float, decision: np.ndarray | None = None) -> np.ndarray:  # fmt: skip
        """Return whether each class belongs to the set of a row, shape ``(N, classes)``; the class that is said always does.

        Args:
            output: Probabilities, shape ``(N, classes)``.
            coverage: Share of new cases whose class belongs to it.
            decision: How a class is said, as in :func:`~gradatim.evaluation.judged.decide_classes`.
        """
        self.radius(coverage)
        found = prediction_sets(output, self.scores, coverage, self.weight)
        found[np.arange(len(output)), decide_classes(output, decision)] = True
        return found

    def add(
        self,
        table: pd.DataFrame,
        labels: Sequence[str | int],
        coverage: float,
        *,
        features: np.ndarray | None = None,
        decision: np.ndarray | None = None,
    ) -> pd.DataFrame:
        """Return a table of predictions with ``low`` and ``high``, or ``set``, behind the prediction.

        A set is a JSON list of its classes, the likeliest first: names may hold commas and quotes.

        Args:
            table: As :func:`~gradatim.fitting.classes.prediction_frame` makes it.
            labels: Class labels; none for values.
            coverage: Share of new cases that they hold.
            features: Of the rows, where the spread reads them.
            decision: How a class is said.
        """
        if labels:
            p = table.iloc[:, -len(labels) :].to_numpy(np.float64)
            cells = _name(self.sets(p, coverage, decision), p, labels)
            columns = {SET: pd.Series(cells, dtype=object)}
        else:
            low, high = self.bounds(table[PREDICTION].to_numpy(np.float64), coverage, features)
            columns = {LOW: pd.Series(low), HIGH: pd.Series(high)}
        place = list(table.columns).index(PREDICTION) + 1
        added = pd.DataFrame(columns).set_axis(table.index)
        return pd.concat([table.iloc[:, :place], added, table.iloc[:, place:]], axis=1)

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Plain facts, and the scores."""
        arrays = {"scores": self.scores} | ({} if self.weight is None else {"weight": self.weight})
        facts, tensors = {"shift": self.shift}, tensors_from(arrays)
        if self.spread is None:
            return facts, tensors
        own, learned = self.spread.store()
        return {**facts, "spread": own}, tensors | gather_tensors({"spread": learned})

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor], features: int) -> "Calibration":
        """Undo :meth:`store`; scores that are none are refused.

        Args:
            facts: Plain facts.
            tensors: The scores.
            features: Features that a row has.
        """
        arrays, shift = arrays_from(tensors), facts["shift"]
        scores, weight = arrays["scores"], arrays.get("weight")
        is_sound = (
            isinstance(shift, float) and math.isfinite(shift)
            and all(a is None or _is_sound(a, len(scores)) for a in (scores, weight))
            and (weight is None or weight.any())
        )  # fmt: skip
        require(is_sound, "load_model: scores of intervals must be finite and not negative", "others")  # fmt: skip
        own = facts.get("spread")
        spread = None if own is None else Spread.restore(own, tensors_of("spread", tensors), features)  # fmt: skip
        return cls(scores, weight, shift, spread)


def _is_sound(values: np.ndarray, count: int) -> bool:
    """Whether numbers of a folder are one for each score, finite and not negative."""
    return values.dtype == np.float64 and values.shape == (count,) and count > 0 and bool((np.isfinite(values) & (values >= 0)).all())  # fmt: skip


def _name(sets: np.ndarray, p: np.ndarray, labels: Sequence[str | int]) -> list[str]:
    """The classes of every set as a JSON list, the likeliest first."""
    order = np.argsort(-p, axis=1, kind="stable")
    return [
        json.dumps([labels[k] for k in own.tolist() if held[k]], ensure_ascii=False)
        for own, held in zip(order, sets, strict=True)
    ]
