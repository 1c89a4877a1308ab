"""The task that the contestants of this folder do: ten folds, each with a network of its own.

What the clock calls an epoch is one whole cross-validation: every fold is trained for ``epochs`` epochs on
the other nine parts and scored on its own. Everybody trains in float32 by Adam, with shuffling.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sklearn.model_selection import StratifiedKFold

CONTESTANTS = ("gradatim", "hand_tuned", "scikit_learn")


@dataclass(frozen=True)
class Task:
    """Data, architecture and number of epochs.

    Args:
        X: Inputs, float32, shape ``(N, sizes[0])``.
        y: Labels, int64, shape ``(N,)``.
        sizes: Widths from input to output.
        batch_size: Rows per step.
        epochs: Epochs per fold.
        source: What the data are.
        folds: Number of folds.
        lr: Learning rate of Adam.
    """

    X: np.ndarray
    y: np.ndarray
    sizes: tuple[int, ...]
    batch_size: int
    epochs: int
    source: str
    folds: int = 10
    lr: float = 1e-3

    @property
    def flops(self) -> int:
        """Multiplications and additions of the matrix products of one cross-validation."""
        weights = [a * b for a, b in pairwise(self.sizes)]
        rows = len(self.X) * (self.folds - 1) * self.epochs
        return 2 * rows * (3 * sum(weights) - weights[0])

    @property
    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Training and test rows of every fold."""
        splitter = StratifiedKFold(self.folds, shuffle=True, random_state=0)
        return list(splitter.split(self.X, self.y))
