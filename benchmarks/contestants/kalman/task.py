"""The task that the contestants of this folder do: filter noisy positions of points in the plane.

What the clock calls an epoch is one pass over all sequences that gives means, covariances, gains and
likelihoods. Everybody computes in float64.
"""

from dataclasses import dataclass

import numpy as np

CONTESTANTS = ("gradatim", "statsmodels", "jax_scan")


@dataclass(frozen=True)
class Task:
    """A system with a state of four numbers, two places and two speeds, and sequences of places.

    Args:
        y: Observations, float64, shape ``(B, T, 2)``.
        source: What the data are.
    """

    y: np.ndarray
    source: str

    @property
    def system(self) -> dict[str, np.ndarray]:
        """The matrices by name."""
        A = np.eye(4) + np.eye(4, k=2)
        return {
            "A": A, "C": np.eye(2, 4), "Q": 0.01 * np.eye(4), "R": 0.5 * np.eye(2),
            "mean0": np.zeros(4), "cov0": 10.0 * np.eye(4),
        }  # fmt: skip

    @property
    def flops(self) -> int:
        """Multiplications and additions of the textbook recursion, with covariances for every sequence."""
        n, m = 4, 2
        products = 2 * n**3 + 3 * n * n * m + 2 * n * m * m + n * n + 2 * n * m
        return 2 * products * self.y.shape[0] * self.y.shape[1]


def build_task(quick: bool) -> Task:
    """Draw random walks."""
    count, steps = (20, 200) if quick else (100, 1000)
    y = np.random.default_rng(0).normal(size=(count, steps, 2)).cumsum(1)
    return Task(y, f"{count} random walks of {steps} steps in the plane")
