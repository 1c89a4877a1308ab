"""Which rows are the same: marks of what a model learned from and of what it was judged on, and what chance makes equal."""

import math
import weakref
from collections import Counter, deque

import numpy as np
import torch
from torch import Tensor, nn

from gradatim.doctor.moments import MOST_COLUMNS, Moments

MOST_MARKS = 20_000  # rows of one evaluation
MOST_ROWS = 100_000  # rows learned from
RECENT = 4  # batches that tell how many rows come again
FEWEST_SEEN = (
    0.02  # share of the training rows that were looked at, below which nothing follows from it
)
FEWEST_SHARED = 4  # rows: fewer are ends of a grid
FEW_VALUES = 64  # different numbers in a batch: so few are digits, bits, tokens
BY_CHANCE = 0.3  # of the shared rows
_FACTORS = np.random.default_rng(20).integers(-(2**62), 2**62, (MOST_COLUMNS, 2), dtype=np.int64) | 1  # fmt: skip


def fingerprints(rows: Tensor) -> list[int]:
    """One number per row, equal for equal rows: sums of bits with random factors, exact in whole numbers.

    >>> a = fingerprints(torch.tensor([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]))
    >>> a[0] == a[2], a[0] == a[1]
    (True, False)
    """
    flat = thin(rows).cpu().contiguous().numpy()
    if flat.dtype.kind == "f":
        flat = flat.astype(np.float32, copy=False).view(np.int32)
    whole = flat.astype(np.int64, copy=False)
    with np.errstate(over="ignore"):
        two = whole @ _FACTORS[: whole.shape[1]]
        mixed = two[:, 0] ^ (two[:, 1] * np.int64(6364136223846793005))
    found: list[int] = mixed.tolist()
    return found


def thin(rows: Tensor) -> Tensor:
    """Rows as a matrix, of very long ones every k-th column."""
    flat = rows.detach().reshape(rows.shape[0], -1)
    return flat[:, :: max(1, math.ceil(flat.shape[1] / MOST_COLUMNS))]


def as_rows(values: Tensor) -> Tensor:
    """A vector of numbers is one row, such as the state of a game; one of whole numbers is a batch of tokens.

    >>> as_rows(torch.zeros(6)).shape, as_rows(torch.arange(6)).shape
    (torch.Size([1, 6]), torch.Size([6]))
    """
    return values[None] if values.dim() == 1 and values.dtype.is_floating_point else values


class Group:
    """The rows of one evaluation.

    Attributes:
        marks: Of its rows.
        owner: The model that was judged on them.
        shared: Share of them that the model had learned from.
        overlap: The same, were all training rows looked at.
    """

    def __init__(self) -> None:
        self.marks: set[int] = set()
        self.moments = Moments()
        self.owner: weakref.ref[nn.Module] | None = None
        self.shared = self.overlap = 0.0
        self.trained = 0
        self._pairs = self._equal = 0.0
        self._is_few = False

    def add(self, rows: Tensor) -> int:
        """Take in a batch, and return how many of its rows were there before."""
        rows = as_rows(rows)
        if len(self.marks) >= MOST_MARKS:
            return 0
        found = fingerprints(rows)
        marks = set(found)
        self._pairs += len(found) * (len(found) - 1) / 2
        if len(marks) < len(found):
            self._equal += sum(k * (k - 1) / 2 for k in Counter(found).values())
            self._is_few = self._is_few or len(torch.unique(rows.detach())) <= FEW_VALUES
        repeats = len(marks & self.marks)
        self.marks |= marks
        if rows.dtype.is_floating_point:
            self.moments.add(rows)
        return repeats

    def merge(self, other: "Group") -> None:
        """Take in a later evaluation on rows of the same place."""
        if len(self.marks) < MOST_ROWS:
            self.marks |= other.marks
        self.shared, self.overlap, self.trained = other.shared, other.overlap, other.trained
        self._pairs, self._equal = self._pairs + other._pairs, self._equal + other._equal
        self._is_few = self._is_few or other._is_few

    @property
    def is_by_chance(self) -> bool:
        """Rows of few values are equal by themselves, as often as those within a batch are."""
        if not self._is_few or not self._pairs:
            return False
        expected = 1 - math.exp(-self._equal / self._pairs * self.trained)
        return expected > BY_CHANCE * self.shared


class Trained:
    """Marks of the rows that a model learned from, in the steps that were looked at.

    Example:
        >>> known = Trained()
        >>> for batch in ({1, 2}, {3, 4}, {1, 3}, {2, 5}):
        ...     known.add(batch)
        >>> known.seen(0)  # of the last batches, half of the rows were known
        0.5
    """

    def __init__(self) -> None:
        self.marks: set[int] = set()
        self._recent: deque[float] = deque(maxlen=RECENT)

    def add(self, marks: set[int]) -> None:
        """Take in the rows of a step."""
        if self.marks and marks:
            self._recent.append(len(marks & self.marks) / len(marks))
        if len(self.marks) < MOST_ROWS:
            self.marks |= marks

    def seen(self, available: int) -> float:
        """Share of all training rows that was looked at: as often as rows come again.

        Args:
            available: How many training rows there are, 0 where nobody knows.
        """
        again = sum(self._recent) / len(self._recent) if self._recent else 0.0
        if available >= len(self.marks):
            again = max(again, len(self.marks) / max(available, 1))
        return again

    def judge(self, group: Group, available: int) -> float:
        """Note what a group shares with the rows learned from; return the share were all of these known.

        Args:
            group: Of an evaluation.
            available: How many training rows there are.
        """
        group.trained, both = len(self.marks), len(group.marks & self.marks)
        group.shared = both / max(len(group.marks), 1) if both >= FEWEST_SHARED else 0.0
        group.overlap = min(1.0, group.shared / max(self.seen(available), FEWEST_SEEN))
        return group.overlap
