"""Class labels: the task they make, the decision, and predictions as a table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pandas as pd

from gradatim.errors import require
from gradatim.evaluation.judged import decide_classes
from gradatim.evaluation.splits import Split, make_folds, make_strata
from gradatim.reports import Concern

RARE_CLASS = 0.2  # of an equal share
FEW_CLASSES, RARE_SHARE = 10, 0.05  # a class of few that has a smaller share is rare
JUDGE_OTHERWISE = "Accuracy and log loss hide how it fares; try --score average-precision or --score balanced-accuracy"
HIDING = (None, "accuracy", "log_loss", "error")  # scores that a rare class hardly moves
ANOTHER_SPLIT = "Intervals are wide, and another split may give another winner"
TRUST_FOLDS = "Its figures say little; the cross-validation says more"
FEW_TEST = 10  # rows of a test
LEAST_TEST = 2
FLATTERS = "The test flatters what remembers them"

Labels = Sequence[str | int]
PROBABILITY = "probability "  # begins the name of a column of predictions


def task_in_words(classes: int) -> str:
    """The task of so many classes; none is a regression.

    Example:
        >>> task_in_words(2)
        'binary classification'
    """
    names = {0: "regression", 2: "binary classification"}
    return names.get(classes, f"classification into {classes} classes")


class LabelledRows:
    """Rows with a class or a value each, some to learn from: what all problems of that kind share.

    Attributes:
        things: What rows are called.
        labels: Class labels in order of their codes; empty for regression.
        y: Class codes, or values, one per row.
        train: Rows to learn from.
        test: Rows to judge by once.
        weight: How much each row weighs; ``None`` where all weigh the same.
        score: Name of the figure that decides, where one was asked for.
        twins: A number for every row, the same for rows that repeat each other; ``None`` where none do.
    """

    things: ClassVar[str] = "rows"
    labels: list[str | int]
    y: np.ndarray
    train: np.ndarray
    test: np.ndarray
    weight: np.ndarray | None = None
    score: str | None = None
    twins: np.ndarray | None = None

    def contents(self) -> Iterator[bytes]:
        """Yield everything that training sees; a kind of data adds its own."""
        yield self.y.tobytes() + self.train.tobytes()
        if self.weight is not None:
            yield self.weight.tobytes()

    def folds(self, count: int, seed: int, groups: np.ndarray | None = None, times: np.ndarray | None = None) -> list[Split]:  # fmt: skip
        """Split the training rows into at most ``count`` folds, as rows of the whole; one that cannot be learned from is left out.

        Args:
            count: Folds.
            seed: Fixes the draw.
            groups: Group of every row, if groups must stay together.
            times: Time of every row, if the past predicts the future.
        """
        folds = make_folds(
            self.strata,
            count,
            np.random.default_rng([seed, 1]),
            groups=None if groups is None else groups[self.train],
            times=None if times is None else times[self.train],
            twins=None if self.twins is None else self.twins[self.train],
        )
        rows = [(self.train[a], self.train[b]) for a, b in folds]
        return [fold for fold in rows if len(np.unique(self.y[fold[0]])) > 1 and len(fold[1])]

    def weight_of(self, rows: np.ndarray) -> np.ndarray | None:
        """What some rows weigh; ``None`` where all weigh the same."""
        return None if self.weight is None else self.weight[rows]

    @property
    def classes(self) -> int:
        """Number of classes; 0 for regression."""
        return len(self.labels)

    @property
    def strata(self) -> np.ndarray:
        """Strata of the training rows."""
        return make_strata(self.y[self.train], is_classification=bool(self.labels))

    @property
    def task(self) -> str:
        """The task in words."""
        return task_in_words(self.classes)

    def doubts(self) -> list[Concern]:
        """Say, if so, that the test is small, or a class of the training rows rare."""
        few = [Concern("Little to judge by", f"{len(self.test)} test {self.things}", TRUST_FOLDS)]
        return (few if len(self.test) < FEW_TEST else []) + self._imbalance()

    def _imbalance(self) -> list[Concern]:
        if not self.labels or self.score not in HIDING:
            return []
        shares = np.bincount(self.y[self.train], minlength=self.classes) / len(self.train)
        rarest = int(shares.argmin())
        is_rare = self.classes <= FEW_CLASSES and shares[rarest] < RARE_SHARE
        if not is_rare and shares[rarest] * self.classes >= RARE_CLASS:
            return []
        seen = (
            f"class {self.labels[rarest]!r} has {100 * shares[rarest]:.1f} % of the {self.things}"
        )
        return [Concern("Imbalance", seen, JUDGE_OTHERWISE)]


def check_test(rows: int, things: str) -> None:
    """Refuse a test that nothing can be judged by.

    Example:
        >>> check_test(1, "rows")
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: fit: test must have at least 2 rows to judge by, got 1.
    """
    require(rows >= LEAST_TEST, f"fit: test must have at least {LEAST_TEST} {things} to judge by", rows)  # fmt: skip


def keep_known(labels: Labels, y: np.ndarray, is_test: np.ndarray) -> "Known":
    """Leave test rows out whose class no training row has.

    Args:
        labels: Class labels in order of their codes; none for a regression.
        y: Class codes, or values, one per row.
        is_test: Which rows are the user's own test rows.

    Example:
        >>> keep_known(["a", "b", "c"], np.array([0, 2, 0, 1]), np.array([False, False, True, True]))
        Known(labels=['a', 'c'], y=array([0, 1, 0]), rows=array([0, 1, 2]), unknown=['b'])
    """
    if not labels or not is_test.any():
        return Known(list(labels), y, np.arange(len(y)), [])
    seen = np.unique(y[~is_test])
    rows = np.flatnonzero(np.isin(y, seen))
    unknown = [label for code, label in enumerate(labels) if code not in seen]
    return Known([labels[k] for k in seen], np.searchsorted(seen, y[rows]), rows, unknown)


class Known(NamedTuple):
    """Rows of classes that can be learned.

    Args:
        labels: Their labels.
        y: Codes of these rows.
        rows: Which rows they are.
        unknown: Labels of the others.
    """

    labels: list[str | int]
    y: np.ndarray
    rows: np.ndarray
    unknown: list[str | int]


def source_rows(rows: np.ndarray) -> tuple[str, np.ndarray]:
    """Place of rows in their source, from 1, as a column; rows of a test table have negative ones.

    Example:
        >>> source_rows(np.array([0, 4, -2]))
        ('row', array([1, 5, 2]))
    """
    return "row", np.where(rows < 0, -rows, rows + 1)


def decide(outputs: np.ndarray, labels: Labels, decision: np.ndarray | None = None) -> np.ndarray:
    """The label that is said of every row, the most probable one by default; values, which have no labels, stay as they are.

    Args:
        outputs: Probabilities ``(N, classes)``, or values ``(N,)``.
        labels: Class labels; none for a regression.
        decision: How a class is said, as in :func:`~gradatim.evaluation.judged.decide_classes`.

    Example:
        >>> decide(np.array([[0.2, 0.8]]), ["no", "yes"]).tolist()
        ['yes']
    """
    return np.array(labels)[decide_classes(outputs, decision)] if len(labels) else outputs


def check_outputs(outputs: np.ndarray, labels: Labels) -> np.ndarray:
    """Outputs of a stored model, once they have a column for each label, or none where there are no labels.

    Example:
        >>> check_outputs(np.ones((1, 3)), ["no", "yes"])
        Traceback (most recent call last):
        ...
        gradatim.errors.InvalidValue: load_model: models must have an output for each of 2 labels, got outputs of shape (1, 3).
    """
    names = np.array(labels)
    shape = (len(outputs), len(names)) if len(names) else (len(outputs),)
    fits = outputs.shape == shape and names.ndim == 1
    require(fits, f"load_model: models must have an output for each of {len(names)} labels", f"outputs of shape {outputs.shape}")  # fmt: skip
    return outputs


def prediction_frame(outputs: np.ndarray, labels: Labels, places: tuple[str, Any] | None = None, decision: np.ndarray | None = None) -> pd.DataFrame:  # fmt: skip
    """Predictions as a table: ``prediction``, then one probability column for each class.

    Args:
        outputs: Probabilities ``(N, classes)``, or values ``(N,)``.
        labels: Class labels; none for a regression.
        places: Name and cells of a column to begin with, which say what each row is.
        decision: As in :func:`decide`.

    Example:
        >>> prediction_frame(np.array([[0.2, 0.8]]), ["no", "yes"]).columns.tolist()
        ['prediction', 'probability no', 'probability yes']
    """
    columns: dict[str, Any] = {} if places is None else dict([places])
    columns["prediction"] = decide(outputs, labels, decision)
    for k, label in enumerate(labels):
        columns[f"{PROBABILITY}{label}"] = outputs[:, k]
    return frame_of(columns)


def frame_of(columns: Mapping[str, Any]) -> pd.DataFrame:
    r"""A table of columns by name; names and cells may be file names, whose bytes need not be UTF-8.

    Example:
        >>> frame_of({"file": ["b\udcff.png"]}).iloc[0, 0] == "b\udcff.png"
        True
    """
    try:
        return pd.DataFrame(dict(columns))
    except UnicodeEncodeError:  # pandas keeps texts as UTF-8, unless it takes them for objects
        cells = [pd.Series(column, dtype=None if isinstance(column, np.ndarray) and column.dtype.kind in "biuf" else object) for column in columns.values()]  # fmt: skip
        return pd.concat(cells, axis=1).set_axis(pd.Index(list(columns), dtype=object), axis=1)
