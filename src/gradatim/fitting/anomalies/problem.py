"""The problem to solve: rows that are normal, perhaps some that are not, and the split."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradatim.errors import InvalidValue
from gradatim.evaluation.splits import Split, make_folds
from gradatim.fitting.anomalies.kind import ALARMS
from gradatim.fitting.anomalies.made_up import LABELLED, Judging
from gradatim.fitting.anomalies.readers import Reader

HELD = 0.2  # of the rows to learn from, that set the threshold
MOST_HELD = 0.5
DEALT = 5  # labelled anomalies for each fold, from which they are dealt to the folds
FOLDS = 5


@dataclass(kw_only=True)
class AnomalyProblem(ABC):
    """Normal rows to learn from and to judge by, and anomalies that only judge.

    Args:
        name: Short name of the data.
        alarms: Share of normal rows that may raise an alarm.
        target: Column that marks anomalies; ``None`` where none are labelled.
        train: Normal rows to learn from; test: those that judge at the end.
        odd_train: Labelled anomalies that judge in the folds; odd_test: those that judge at the end.
        notes: What was done to the data, one sentence each.
    """

    name: str
    alarms: float
    target: str | None
    train: np.ndarray
    test: np.ndarray
    odd_train: np.ndarray
    odd_test: np.ndarray
    notes: list[str] = field(default_factory=list)

    things = "rows"

    def contents(self) -> Iterator[bytes]:
        """Yield the split; a form of data adds its own."""
        for rows in (self.train, self.test, self.odd_train, self.odd_test):
            yield rows.tobytes()

    @abstractmethod
    def learn(self, rows: np.ndarray) -> Reader:
        """Learn from normal rows how cells become features."""

    @abstractmethod
    def features(self, reader: Any, rows: np.ndarray) -> np.ndarray:
        """Features of rows, shape ``(N, F)``."""

    @abstractmethod
    def make_up(self, reader: Any, rows: np.ndarray, most: int, rng: np.random.Generator) -> Judging:  # fmt: skip
        """Judge by at most so many normal rows, and by anomalies that are made up from them."""

    @abstractmethod
    def order(self, rows: np.ndarray, seed: int) -> np.ndarray:
        """Rows in the order in which the first learn and the last set the threshold."""

    @property
    def times(self) -> np.ndarray | None:
        """Time of every row, where the past judges the future."""
        return None

    def cut(self, rows: np.ndarray, seed: int) -> Split:
        """Rows to learn from, and rows that set the threshold."""
        ordered = self.order(rows, seed)
        held = held_out(len(rows), self.alarms)
        return np.sort(ordered[: len(rows) - held]), np.sort(ordered[len(rows) - held :])

    def folds(self, seed: int) -> list[Split]:
        """Normal rows to learn from and to judge by."""
        rng, times = np.random.default_rng([seed, 1]), self.times
        folds = make_folds(
            np.zeros(len(self.train), int), FOLDS, rng, times=None if times is None else times[self.train]
        )  # fmt: skip
        return [(np.sort(self.train[a]), np.sort(self.train[b])) for a, b in folds if len(a) > 3 and len(b) > 1]  # fmt: skip

    def odd_rows(self, k: int | None, count: int, seed: int) -> np.ndarray:
        """Labelled anomalies that judge in fold ``k`` of ``count``, or in the test for ``None``."""
        if k is None:
            return self.odd_test
        if len(self.odd_train) < DEALT * count:
            return self.odd_train
        dealt = np.random.default_rng([seed, 10]).permutation(self.odd_train)
        return np.sort(np.array_split(dealt, count)[k])

    def judging(self, reader: Reader, rows: np.ndarray, odd: np.ndarray, most: int, rng: np.random.Generator) -> Judging:  # fmt: skip
        """What detectors are judged by: labelled anomalies where there are any, else some that are made up."""
        if not len(odd):
            return self.make_up(reader, rows, most, rng)
        rows, odd = (thin(part, most, rng) for part in (rows, odd))
        X = np.concatenate([self.features(reader, rows), self.features(reader, odd)])
        return Judging(X, len(rows), 1, np.full(len(odd), LABELLED), rows)


def thin(rows: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """Rows as they are, or so many of them, drawn at random and in order."""
    return rows if len(rows) <= most else np.sort(rng.permutation(rows)[:most])


def held_out(rows: int, alarms: float) -> int:
    """How many rows set the threshold: a fifth, or as many as the share of alarms needs, but no more than half.

    Example:
        >>> held_out(1000, 0.01), held_out(300, 0.01), held_out(100, 0.01)
        (200, 99, 50)
    """
    needed = math.ceil(1.0 / alarms - 1.0 - 1e-9)
    return max(min(max(round(HELD * rows), needed), int(MOST_HELD * rows)), 1)


def find_alarms(asked: float | None, rows: int, notes: list[str], things: str) -> float:
    """The share of alarms that was asked for, once so many rows allow it; by default the smallest that they allow.

    Args:
        asked: What was asked for.
        rows: Rows to learn from.
        notes: Tells where the default is not possible.
        things: What rows are called.
    """
    wanted = ALARMS if asked is None else asked
    held = held_out(rows, wanted)
    least = 1.0 / (held + 1)
    if wanted >= least - 1e-12:
        return wanted
    if asked is not None:
        shown = math.ceil(least * 1e4) / 1e4
        raise InvalidValue(
            f"fit: alarms must be at least 1 in {held + 1} where {held} {things} can set the threshold, got {asked:g}. "
            f"Try {shown:g}, or use more {things}."
        )
    notes.append(f"The share of alarms is {least:.2g}, not {ALARMS}: {held} {things} that can set the threshold allow no smaller one.")  # fmt: skip
    return least
