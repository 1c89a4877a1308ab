"""The task that the contestants of this folder do: a classifier of dense ReLU layers, trained by Adam.

Everybody trains in float32, with shuffling in every epoch, the last small batch included, without weight
decay and without validation.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

MLP_CONTESTANTS = (
    "gradatim",
    "hand_tuned",
    "dataloader",
    "skorch",
    "lightning",
    "keras_jax",
    "keras_torch",
    "scikit_learn",
)


@dataclass(frozen=True)
class Task:
    """Data and architecture.

    Args:
        X: Inputs, float32, shape ``(N, sizes[0])``.
        y: Labels, int64, shape ``(N,)``.
        sizes: Widths from input to output.
        batch_size: Rows per step.
        source: What the data are.
        lr: Learning rate of Adam.
    """

    X: np.ndarray
    y: np.ndarray
    sizes: tuple[int, ...]
    batch_size: int
    source: str
    lr: float = 1e-3

    @property
    def flops(self) -> int:
        """Multiplications and additions of the matrix products of an epoch.

        A layer needs three products (output, gradient of its weights, gradient of its input), the first
        layer two: nobody needs the gradient of the data.
        """
        weights = [a * b for a, b in pairwise(self.sizes)]
        return 2 * len(self.X) * (3 * sum(weights) - weights[0])

    def accuracy(self, scores: np.ndarray) -> float:
        """Return the share of rows whose largest score is that of their label."""
        return float((scores.argmax(1) == self.y).mean())
