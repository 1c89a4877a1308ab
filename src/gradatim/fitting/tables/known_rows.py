"""Features of rows that are known in parts, such as training and test rows."""

from collections.abc import Sequence

import numpy as np


def find_features(parts: Sequence[tuple[np.ndarray, np.ndarray]], rows: np.ndarray) -> np.ndarray:
    """Return the features of some rows, shape ``(len(rows), D)``.

    Args:
        parts: Rows and their features, shape ``(n, D)``; the parts share no row.
        rows: Any of them.

    Example:
        >>> parts = [(np.array([0, 3]), np.array([[0.0], [30.0]])), (np.array([2]), np.array([[20.0]]))]
        >>> find_features(parts, np.array([2, 3])).tolist()
        [[20.0], [30.0]]
    """
    found = np.empty((len(rows), parts[0][1].shape[1]))
    for known, features in parts:
        order = np.argsort(known, kind="stable")
        place = np.minimum(np.searchsorted(known, rows, sorter=order), len(known) - 1)
        is_here = known[order[place]] == rows
        found[is_here] = features[order[place[is_here]]]
    return found
