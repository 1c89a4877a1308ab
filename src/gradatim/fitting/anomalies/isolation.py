"""The isolation forest of scikit-learn as plain arrays."""

import numpy as np
from sklearn.ensemble import IsolationForest

from gradatim.fitting.anomalies.detectors import Detector
from gradatim.fitting.tables.candidates import quietly

TREES = 100
SAMPLE = 256  # rows that a tree sees


def usual_depth(rows: np.ndarray) -> np.ndarray:
    r"""The mean depth of a search that fails in a binary tree of so many rows.

    .. math:: c(n) = 2\,(\ln(n-1) + \gamma) - \frac{2(n-1)}{n}, \qquad c(2) = 1, \qquad c(1) = 0

    Example:
        >>> usual_depth(np.array([1, 2, 256])).round(2).tolist()
        [0.0, 1.0, 10.24]
    """
    n = np.maximum(np.asarray(rows, dtype=float), 1.0)
    with np.errstate(divide="ignore"):
        many = 2.0 * (np.log(n - 1.0) + np.euler_gamma) - 2.0 * (n - 1.0) / n
    return np.where(n <= 1, 0.0, np.where(n <= 2, 1.0, many))


def fit_isolation(X: np.ndarray, seed: int) -> Detector:
    """Grow random trees, and write every node as rows of arrays; a leaf leads to itself.

    A leaf holds the depth at which it parts a row from the others, with the usual depth of the rows that it leaves together,
    in units of the usual depth of a tree and of the number of trees: sums are then :math:`E[h(x)]/c(n)`.

    Args:
        X: Features of normal rows, shape ``(N, F)``.
        seed: Fixes the trees.

    Reference:
        Liu, Ting and Zhou, Isolation Forest, 2008.
    """
    with quietly():
        forest = IsolationForest(
            n_estimators=TREES, max_samples=min(SAMPLE, len(X)), random_state=seed
        ).fit(X)
    trees = [estimator.tree_ for estimator in forest.estimators_]
    sizes = np.array([tree.node_count for tree in trees])
    roots = np.cumsum(sizes) - sizes
    offset = np.repeat(roots, sizes)
    left, right, feature, threshold, rows = (
        np.concatenate([getattr(tree, name) for tree in trees])
        for name in ("children_left", "children_right", "feature", "threshold", "n_node_samples")
    )
    depth = np.concatenate([tree.compute_node_depths() for tree in trees]) - 1  # of a root: 0
    own, leaf = np.arange(len(left)), left < 0
    unit = TREES * float(usual_depth(np.array(min(SAMPLE, len(X)))))
    arrays = {
        "roots": roots[:, None].astype(np.int32),
        "feature": np.where(leaf, 0, feature).astype(np.int32),
        "threshold": np.where(leaf, np.inf, threshold),
        "left": np.where(leaf, own, offset + left).astype(np.int32),
        "right": np.where(leaf, own, offset + right).astype(np.int32),
        "value": np.where(leaf, (depth + usual_depth(rows)) / unit, 0.0),
        "start": np.zeros((1, 1)),
        "typical": np.median(X, axis=0),
    }
    return Detector("isolation", arrays, {"depth": int(depth.max())})
