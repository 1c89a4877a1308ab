"""Several labels per image: one model for each label, how good they are together, and how they are written."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from torch import Tensor

from gradatim.errors import require
from gradatim.evaluation.criteria import REPORTED, Criterion, named_criterion
from gradatim.evaluation.judged import Judged
from gradatim.fitting.classes import PROBABILITY, frame_of
from gradatim.fitting.images.labels import TAGS
from gradatim.fitting.stored import Facts
from gradatim.fitting.tables.predictors import Fitted, predict
from gradatim.model_folder import gather_tensors, tensors_of

MOST_TAGS = 10_000
SAID = 0.5  # probability from which a label is said


@dataclass(frozen=True, eq=False)
class PerTag:
    """A model for each label that says whether an image has it.

    Args:
        members: Models of two classes, one for each label.
    """

    kind: ClassVar[str] = "per-tag"

    members: list[Fitted]

    @property
    def parameters(self) -> int:
        """Numbers stored."""
        return sum(member.parameters for member in self.members)

    @property
    def settings(self) -> list[dict[str, Any]]:
        """What was chosen, for each label."""
        return [member.settings for member in self.members]

    def store(self) -> tuple[Facts, dict[str, Tensor]]:
        """Facts and tensors of all members."""
        stored = [member.store() for member in self.members]
        tensors = gather_tensors({str(k): own for k, (_, own) in enumerate(stored)})
        return {"kind": self.kind, "members": [facts for facts, _ in stored]}, tensors

    @classmethod
    def restore(cls, facts: Facts, tensors: Mapping[str, Tensor]) -> "PerTag":
        """Undo :meth:`store`."""
        count = len(facts["members"])
        require(0 < count <= MOST_TAGS, f"load_model: labels must be from 1 to {MOST_TAGS:,}", count)  # fmt: skip
        return cls([Fitted.restore(own, tensors_of(str(k), tensors)) for k, own in enumerate(facts["members"])])  # fmt: skip

    def outputs(self, X: np.ndarray, say: Callable[[Fitted, np.ndarray], np.ndarray] = predict) -> np.ndarray:  # fmt: skip
        """Probability of each label, shape ``(N, labels)``."""
        return np.stack([say(member, X)[:, 1] for member in self.members], axis=1)


def measure_tags(y: np.ndarray, output: np.ndarray, criterion: Criterion | None = None) -> dict[str, float]:  # fmt: skip
    """Figures of several labels, each the mean over the labels that rows of both kinds are there of; the deciding one first.

    Args:
        y: Ones and zeros, shape ``(N, labels)``.
        output: Probabilities, same shape.
        criterion: What decides; the log loss by default.

    Example:
        >>> measure_tags(np.array([[1, 0], [0, 1]]), np.array([[0.8, 0.2], [0.2, 0.8]]))["macro F1"]
        1.0
    """
    first = criterion or named_criterion(REPORTED["classification"][0])
    judged = [Judged(y[:, k], np.stack([1 - output[:, k], output[:, k]], 1), 2) for k in range(y.shape[1])]  # fmt: skip
    criteria = [first, *(own for own in map(named_criterion, REPORTED["classification"]) if own != first)]  # fmt: skip
    figures = {own.label: _mean([_figure(own, one) for one in judged]) for own in criteria}
    return {k: v for k, v in figures.items() if np.isfinite(v) or k == first.label}


def _figure(criterion: Criterion, judged: Judged) -> float:
    """Of one label; the F1 of several is the mean over those that are said or there, not over both sides of each."""
    if criterion.name != "macro_f1":
        return criterion.figure(judged)
    return float(judged.f1s()[1])


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else float("nan")


def say_tags(outputs: np.ndarray, labels: Sequence[str | int]) -> np.ndarray:
    """The labels that are more probable than not, joined by ``;``.

    Example:
        >>> say_tags(np.array([[0.7, 0.6], [0.1, 0.2]]), ["cat", "dog"]).tolist()
        ['cat;dog', '']
    """
    names = [str(label) for label in labels]
    said = outputs >= SAID
    return np.array([TAGS.join(n for n, own in zip(names, row, strict=True) if own) for row in said])  # fmt: skip


def tag_frame(outputs: np.ndarray, labels: Sequence[str | int], places: tuple[str, Any] | None = None) -> pd.DataFrame:  # fmt: skip
    """Predictions as a table: the labels that are said, then the probability of each.

    Args:
        outputs: Probabilities, shape ``(N, labels)``.
        labels: Names of the labels.
        places: Name and cells of a column to begin with.
    """
    columns: dict[str, Any] = {} if places is None else dict([places])
    columns["prediction"] = say_tags(outputs, labels)
    columns |= {f"{PROBABILITY}{label}": outputs[:, k] for k, label in enumerate(labels)}
    return frame_of(columns)


def strata_of_tags(y: np.ndarray) -> np.ndarray:
    """A stratum for each row: the rarest label that it has, or none.

    Args:
        y: Ones and zeros, shape ``(N, labels)``.

    Example:
        >>> strata_of_tags(np.array([[1, 1], [1, 0], [0, 0]])).tolist()
        [2, 1, 0]
    """
    rarity = np.where(y > 0, len(y) - y.sum(0), -1)
    return np.where(y.any(1), 1 + rarity.argmax(1), 0)
