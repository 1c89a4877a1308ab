"""k-means as a job: scikit-learn's, from several starts, on many rows."""

from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.clustering.rows import check_rows
from gradatim.errors import require_seed, require_whole
from gradatim.threads import in_one_thread

LARGE = 20_000  # rows, of more than which the starts see a sample


class Clusters(NamedTuple):
    """What was found.

    Args:
        centers: Shape ``(K, d)``.
        labels: The cluster of each row, from 0, shape ``(N,)``.
        inertia: Sum of the squared distances of the rows from their centers.
    """

    centers: Tensor
    labels: Tensor
    inertia: float


@takes_arrays
def find_clusters(x: Tensor, num_clusters: int, *, num_starts: int = 10, seed: int = 0) -> Clusters:
    """The best k-means of several starts by k-means++.

    Of more than 20,000 rows a random sample tells which start is best; k-means then goes on from there on all rows. Rows
    that are fewer different ones than clusters leave some clusters equal.

    Args:
        x: Rows, shape ``(N, d)``.
        num_clusters: How many clusters.
        num_starts: How many starts.
        seed: Fixes starts and sample.

    Example:
        >>> found = find_clusters([[0.0], [1.0], [9.0], [10.0]], 2)
        >>> sorted(found.centers.flatten().tolist()), found.inertia
        ([0.5, 9.5], 1.0)
    """
    x = check_rows("find_clusters", x, num_clusters)
    require_whole("find_clusters", num_starts=num_starts)
    require_seed("find_clusters", seed)
    rows = x.detach().cpu().numpy()
    rows = rows if rows.dtype in (np.float32, np.float64) else rows.astype(np.float64)
    with in_one_thread(rows.size):
        centers, labels, inertia = best_of_starts(rows, num_clusters, num_starts, seed)
    return Clusters(torch.from_numpy(centers).to(x), torch.from_numpy(labels).long(), inertia)


def best_of_starts(rows: np.ndarray, num_clusters: int, num_starts: int, seed: int) -> tuple[np.ndarray, np.ndarray, float]:  # fmt: skip
    """Centers, labels and inertia of the best of several starts."""
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of rows that are equal
        if len(rows) > LARGE and num_clusters <= LARGE:
            drawn = np.random.default_rng(seed).permutation(len(rows))[:LARGE]
            start = KMeans(num_clusters, n_init=num_starts, random_state=seed).fit(rows[np.sort(drawn)])  # fmt: skip
            found = KMeans(num_clusters, init=start.cluster_centers_, n_init=1).fit(rows)
        else:
            found = KMeans(num_clusters, n_init=num_starts, random_state=seed).fit(rows)
    return found.cluster_centers_, found.labels_, float(found.inertia_)


def continued(rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Centers to which k-means comes from others.

    Args:
        rows: Shape ``(N, d)``.
        centers: Where it begins, at most as many as rows.
    """
    import warnings

    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings(), in_one_thread(rows.size):
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: np.ndarray = KMeans(len(centers), init=centers, n_init=1).fit(rows).cluster_centers_
    return found
