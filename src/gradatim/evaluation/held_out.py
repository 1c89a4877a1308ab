"""A test set that counts how often it was used."""

import warnings
from typing import Any

from gradatim.evaluation.scoring import Score, ScoreFunction, build_score


class TestSet:
    """Rows kept aside to be looked at once, at the very end.

    Every use after the first warns: whoever chooses by a test set has made it part of the training.

    Args:
        X: Inputs, one row per sample.
        y: Targets.

    Example:
        >>> test = TestSet([[0.0], [1.0]], [0.0, 1.0])
        >>> X, y = test.open()
        >>> test
        TestSet(2 rows, used once)
    """

    __test__ = False  # pytest takes classes called Test… for its own

    def __init__(self, X: Any, y: Any) -> None:
        self._X, self._y = X, y
        self.uses = 0

    def __len__(self) -> int:
        return len(self._y)

    def open(self) -> tuple[Any, Any]:
        """Return ``(X, y)`` and count a use."""
        self.uses += 1
        if self.uses > 1:
            warnings.warn(
                f"TestSet: used {self.uses} times. A test set that guides choices is no test set any more; "
                "choose by cross-validation.",
                stacklevel=2,
            )
        return self._X, self._y

    def score(self, model: Any, score: str | Score | ScoreFunction | None = None) -> float:
        """Score a fitted model and count a use."""
        X, y = self.open()
        return build_score(score, model).function(model, X, y)

    def __repr__(self) -> str:
        times = {0: "not used yet", 1: "used once"}.get(self.uses, f"used {self.uses} times")
        return f"TestSet({len(self)} rows, {times})"
