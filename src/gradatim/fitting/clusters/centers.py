"""Fitted clusters: centers, how far their rows reach, and where a row that is far from all of them begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor

from gradatim.clustering import find_clusters
from gradatim.clustering.finding import continued
from gradatim.errors import require
from gradatim.evaluation import conformal_threshold

FAR = 0.01  # of the rows like those learned from, that count as far
FOLDS = 5  # of the rows, which tell how far new ones lie
MOST_ROWS = 20_000  # that tell it
FEW = 5  # rows; of a smaller cluster nobody knows how far it reaches
BLOCK = 4_000_000  # distances at a time


@dataclass(frozen=True)
class Centers:
    """Clusters, the largest first.

    Args:
        centers: Shape ``(K, F)``.
        reach: Distance from each center beyond which a row is far, shape ``(K,)``.
    """

    centers: np.ndarray
    reach: np.ndarray
    kind: ClassVar[str] = "k-means"

    @property
    def parameters(self) -> int:
        """Numbers of the model."""
        return int(self.centers.size + self.reach.size)

    def assign(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The nearest cluster of every row, from 0, its distance, and whether the row is far from all of them.

        Args:
            x: Features, shape ``(N, F)``.
        """
        labels, distances = nearest(x, self.centers)
        return labels, distances, distances > self.reach[labels]

    def store(self) -> tuple[dict[str, Any], dict[str, Tensor]]:
        """Plain facts and tensors."""
        return {"kind": self.kind}, {"centers": torch.from_numpy(self.centers), "reach": torch.from_numpy(self.reach)}  # fmt: skip

    @classmethod
    def restore(cls, facts: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> "Centers":
        """Undo :meth:`store`."""
        require(facts["kind"] == cls.kind, "load_model: kind must be k-means", "another")
        centers, reach = (tensors[name] for name in ("centers", "reach"))
        is_whole = centers.ndim == 2 and 0 < len(centers) == len(reach) and reach.ndim == 1
        is_real = centers.dtype == reach.dtype == torch.float64 and bool((reach > 0).all())
        require(is_whole and is_real, "load_model: every cluster must have a center and a reach", "others")  # fmt: skip
        return cls(centers.numpy(), reach.numpy())


def nearest(x: np.ndarray, centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest center of every row and its distance, some rows at a time.

    Args:
        x: Shape ``(N, F)``.
        centers: Shape ``(K, F)``.
    """
    size, aim = max(BLOCK // len(centers), 1), torch.from_numpy(centers)
    parts = [torch.cdist(torch.from_numpy(x[k : k + size]), aim).min(1) for k in range(0, len(x), size)]  # fmt: skip
    labels = torch.cat([part.indices for part in parts]).numpy()
    away = x - centers[labels]  # without the cancellation of a product of matrices
    return labels, np.sqrt(np.einsum("nf,nf->n", away, away))


def fit_centers(x: np.ndarray, num_clusters: int, seed: int) -> Centers:
    """Find clusters, number them by size, and measure how far rows reach that did not make them.

    Args:
        x: Features, shape ``(N, F)``.
        num_clusters: How many.
        seed: Fixes starts and folds.
    """
    found = find_clusters(torch.from_numpy(x), num_clusters, seed=seed)
    sizes = np.bincount(found.labels.numpy(), minlength=num_clusters)
    centers = found.centers.numpy()[np.argsort(-sizes, kind="stable")]
    return Centers(centers, _reach(x, centers, seed))


def _reach(x: np.ndarray, centers: np.ndarray, seed: int) -> np.ndarray:
    r"""Where far begins: a multiple of each cluster's own spread, the same for all of them.

    Rows are held out in turn; their distances in units of the spread of the cluster they fall into are those of new rows,
    and the conformal threshold of them lets at most 1 % pass, or 1 in :math:`n + 1` where there are few rows.
    """
    order = np.random.default_rng([seed, 3]).permutation(len(x))[:MOST_ROWS]
    x = x[order]
    ratios = []
    for k in range(min(FOLDS, len(x))):
        is_held = np.arange(len(x)) % FOLDS == k
        if is_held.all() or (~is_held).sum() < len(centers):
            continue
        moved = continued(x[~is_held], centers)
        spread = _spread(x[~is_held], moved)
        labels, distances = nearest(x[is_held], moved)
        ratios.append(distances / spread[labels])
    spread = _spread(x, centers)
    scores = np.concatenate(ratios) if ratios else np.ones(1)
    limit = conformal_threshold(scores, max(FAR, 1.0 / (len(scores) + 1)))
    return np.asarray(spread * max(limit, 1.0))


def _spread(x: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Root of the mean squared distance of the rows of each cluster; of a small one, that of all rows."""
    labels, distances = nearest(x, centers)
    sizes = np.bincount(labels, minlength=len(centers))
    sums = np.bincount(labels, distances**2, minlength=len(centers))
    whole = float((distances**2).mean())
    means = np.where((sizes >= FEW) & (sums > 0), sums / np.maximum(sizes, 1), whole)
    return np.asarray(np.sqrt(np.maximum(means, 1e-12)))
