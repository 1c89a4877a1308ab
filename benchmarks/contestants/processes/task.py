"""The task that the contestants of this folder do: the evidence of a Gaussian process and its gradient.

What the clock calls an evaluation is both at one place, as a search asks for them: a kernel with one length for each column,
a variance and noise. The places are the same for everybody, and so is float64. With inducing points the evidence is
Titsias' bound.
"""

import math
from dataclasses import dataclass

import numpy as np

EXACT, SPARSE = ("gradatim", "autograd", "gpytorch_exact"), ("gradatim", "autograd")


@dataclass(frozen=True)
class Task:
    """Rows, targets, and where the evidence is asked for.

    Args:
        X: Rows, shape ``(N, d)``.
        y: Targets, shape ``(N,)``.
        source: What the data are.
        num_inducing: Inducing points, the first rows; 0 for the exact evidence.
    """

    X: np.ndarray
    y: np.ndarray
    source: str
    num_inducing: int = 0

    def place(self, number: int) -> np.ndarray:
        """Logarithms of the lengths, of the variance and of the noise at evaluation ``number``."""
        count = self.X.shape[1]
        start = np.array([0.5 * math.log(count)] * count + [0.0, math.log(0.1)])
        return start + 0.2 * np.sin(number + np.arange(count + 2))

    @property
    def flops(self) -> int:
        """Multiplications and additions of factors, inverse and distances; of small matrices, none."""
        rows, columns = self.X.shape
        if self.num_inducing:
            return 2 * rows * self.num_inducing * (2 * self.num_inducing + 3 * columns)
        return 2 * rows**2 * (rows // 2 + 3 * columns)


def build_task(quick: bool, rows: int, num_inducing: int = 0) -> Task:
    """Draw rows of eight columns, of which two tell the target."""
    rows, num_inducing = (rows // 20, num_inducing // 8) if quick else (rows, num_inducing)
    draw = np.random.default_rng(0)
    X = draw.normal(size=(rows, 8))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.3 * draw.normal(size=rows)
    return Task(X, y, f"{rows:,} random rows of 8 columns", num_inducing)
