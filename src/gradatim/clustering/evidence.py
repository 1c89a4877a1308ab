"""What speaks for a number of clusters: the gap, the silhouette, and whether two halves of the data say the same."""

from typing import NamedTuple

import numpy as np
import torch

from gradatim.clustering.agreement import adjusted_rand
from gradatim.clustering.finding import best_of_starts
from gradatim.clustering.silhouettes import silhouettes

STARTS = 3  # of k-means on a table
LEAST_GAP, NARROW = (
    0.05,
    0.2,
)  # what clusters save of the inertia, beyond what cutting one cloud saves; times columns
SURE = 4.0  # times the noise, by which they save it
STABLE = 0.8  # adjusted Rand index of what two halves of the rows find


class Evidence(NamedTuple):
    r"""What speaks for :math:`K` clusters.

    Args:
        num_clusters: :math:`K`.
        gap: By how much the logarithm of the inertia, as a share of that of one cluster, is below that of tables without groups.
        noise: How far such tables differ in it, one deviation.
        silhouette: Mean over the rows.
        cloud_silhouette: The same of tables without groups, their mean.
        stability: Adjusted Rand index of the partitions that two halves of the rows give all rows, a mean over halvings.
        least_gap: The least gap that counts, a tenth in one or two columns, a twentieth in four or more.
    """

    num_clusters: int
    gap: float
    noise: float
    silhouette: float
    cloud_silhouette: float
    stability: float
    least_gap: float = NARROW / 2

    @property
    def has_gap(self) -> bool:
        """Whether clusters save more than cutting one cloud does."""
        return self.gap >= self.needed_gap

    @property
    def needed_gap(self) -> float:
        """How large the gap must be."""
        return max(self.least_gap, SURE * self.noise)

    def is_more_than(self, other: "Evidence") -> bool:
        """Whether the gap is so much larger than that of another number that more clusters are worth it."""
        return self.gap - other.gap >= self.least_gap

    @property
    def is_apart(self) -> bool:
        """Whether clusters lie further from each other than the pieces of one cloud."""
        return self.silhouette > self.cloud_silhouette

    @property
    def is_stable(self) -> bool:
        """Whether two halves of the rows give the same clusters."""
        return self.stability >= STABLE

    @property
    def is_enough(self) -> bool:
        """Whether all three speak for it."""
        return self.has_gap and self.is_apart and self.is_stable


def least_gap(num_columns: int) -> float:
    r"""The least gap that counts, whatever the noise: a tenth, or less where there are many columns.

    Cutting :math:`d` columns into :math:`K` pieces leaves about :math:`K^{-2/d}` of the inertia, so that all logarithms are smaller where
    :math:`d` is large: :math:`0.2/d`, from a tenth down to a twentieth.

    Args:
        num_columns: :math:`d`.

    Example:
        >>> least_gap(1), least_gap(2), least_gap(10)
        (0.1, 0.1, 0.05)
    """
    return float(np.clip(NARROW / num_columns, LEAST_GAP, NARROW / 2))


class Scan(NamedTuple):
    """Figures of one table for some numbers of clusters.

    Args:
        log_inertias: Logarithms of the inertia as a share of that of one cluster.
        silhouettes: Means over the rows.
    """

    log_inertias: np.ndarray
    silhouettes: np.ndarray


def scan(x: np.ndarray, counts: list[int], seed: int) -> Scan:
    """Cluster a table into ever more clusters.

    Args:
        x: Rows, shape ``(N, d)``.
        counts: Numbers of clusters, from 2.
        seed: Fixes the starts.
    """
    rows = torch.from_numpy(x)
    distances = torch.cdist(rows, rows)
    total = float(((x - x.mean(0)) ** 2).sum())
    logs, means = [], []
    for count in counts:
        _, labels, inertia = best_of_starts(x, count, STARTS, seed)
        logs.append(np.log(max(inertia / max(total, 1e-300), 1e-12)))
        found = torch.from_numpy(labels)
        means.append(
            float(silhouettes(distances, found).mean()) if len(found.unique()) > 1 else 0.0
        )
    return Scan(np.array(logs), np.array(means))


def halve(x: np.ndarray, counts: list[int], seed: int) -> np.ndarray:
    """How well the clusters of two halves of a table agree, for some numbers of clusters.

    Args:
        x: Rows, shape ``(N, d)``.
        counts: Numbers of clusters.
        seed: Fixes halves and starts.
    """
    order = np.random.default_rng([seed, 1]).permutation(len(x))
    halves = x[order[: len(x) // 2]], x[order[len(x) // 2 :]]
    found = []
    for count in counts:
        one, other = (_assign(x, best_of_starts(half, count, STARTS, seed)[0]) for half in halves)
        found.append(adjusted_rand(one, other))
    return np.array(found)


def _assign(x: np.ndarray, centers: np.ndarray) -> torch.Tensor:
    return torch.cdist(torch.from_numpy(x), torch.from_numpy(centers)).argmin(1)
