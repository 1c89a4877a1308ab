r"""What the target is on average where a category stands: one number that a model can order categories by.

Level :math:`\ell` with :math:`n_\ell` rows and mean :math:`\bar y_\ell` of the standardized target becomes

.. math:: e_\ell = \frac{n_\ell}{n_\ell + m}\,\bar y_\ell, \qquad m = \frac{\sigma^2}{\tau^2}

where :math:`\sigma^2` is the variance within levels and :math:`\tau^2` that of the levels' true means, both estimated by the
analysis of variance: few rows say little, and a level that training never saw is 0, the mean of all. A training row must
not find its own target in its features, so its number comes from other rows (*cross-fitting*).

Reference:
    Micci-Barreca, A Preprocessing Scheme for High-Cardinality Categorical Attributes, 2001. Pargent et al., Regularized
    Target Encoding Outperforms Traditional Methods, 2022.
"""

from typing import NamedTuple

import numpy as np

FOLDS = 5
MAX_CLASSES = 10  # past which a category would become too many numbers
LEAST = 0.1  # rows that the mean of all weighs, even where a level has one target only
MAX_KNOWN = 10_000  # levels that are written down, the most frequent


class LevelMeans(NamedTuple):
    """Means of the levels of one column.

    Args:
        places: Codes of the levels that have a mean.
        means: Their shrunk means :math:`e_\\ell`, shape ``(len(places), outputs)``.
        crossed: Those of the training rows, each from other rows, shape ``(N, outputs)``.
    """

    places: np.ndarray
    means: np.ndarray
    crossed: np.ndarray


def standardized_targets(y: np.ndarray, classes: int) -> np.ndarray:
    """Targets as columns of mean 0 and variance 1: the values, the second of two classes, or one column per class.

    Args:
        y: Class codes, or values.
        classes: Number of classes; 0 for regression.

    Returns:
        Shape ``(N, outputs)``; without columns where there are too many classes.

    Example:
        >>> standardized_targets(np.array([0.0, 4.0]), 0).tolist()
        [[-1.0], [1.0]]
    """
    if classes > MAX_CLASSES:
        return np.empty((len(y), 0))
    if classes == 2:
        columns = (y == 1).astype(np.float64)[:, None]
    elif classes:
        columns = (y[:, None] == np.arange(classes)).astype(np.float64)
    else:
        columns = (y / (np.abs(y).max() or 1.0))[:, None]  # squares of huge numbers would overflow
    spread = columns.std(0)
    return (columns - columns.mean(0)) / np.where(spread > 0, spread, 1.0)


def learn_level_means(codes: np.ndarray, targets: np.ndarray, seed: int) -> LevelMeans | None:
    """Learn the mean target of every level, and what each row would be given by the others.

    Args:
        codes: Level of every row; −1 where it is missing, which counts as a level.
        targets: Standardized targets, shape ``(N, outputs)``.
        seed: Fixes the folds of cross-fitting.

    Returns:
        ``None`` where the levels differ by no more than chance.

    Example:
        >>> codes, targets = np.repeat([0, 1, 2], 50), np.repeat([-1.2, 0.0, 1.2], 50)[:, None]
        >>> learn_level_means(codes, targets, seed=0).means.round(1).ravel().tolist()
        [-1.2, 0.0, 1.2]
    """
    levels, place, counts = np.unique(codes, return_inverse=True, return_counts=True)
    if len(levels) < 3 or len(levels) == len(codes) or not targets.shape[1]:
        return None
    sums = _sums(place, targets, len(levels))
    m = _shrinkage(counts, sums, targets)
    if m is None:
        return None
    fold = np.random.default_rng([seed, 3]).permutation(len(codes)) % FOLDS
    key = fold * len(levels) + place
    own_counts = np.bincount(key, minlength=FOLDS * len(levels))[key]
    own_sums = _sums(key, targets, FOLDS * len(levels))[key]
    others = counts[place] - own_counts
    crossed = (sums[place] - own_sums) / (others + m)[:, None]
    kept = np.argsort(-counts, kind="stable")[:MAX_KNOWN]
    kept = np.sort(kept[counts[kept] > 1])
    return LevelMeans(levels[kept], sums[kept] / (counts[kept] + m)[:, None], crossed)


def _sums(place: np.ndarray, targets: np.ndarray, size: int) -> np.ndarray:
    """Sums of the targets by place, shape ``(size, outputs)``."""
    return np.stack([np.bincount(place, column, size) for column in targets.T], axis=1)


def _shrinkage(counts: np.ndarray, sums: np.ndarray, targets: np.ndarray) -> float | None:
    r"""The number of rows :math:`m` that the mean of all weighs, by the analysis of variance of random effects."""
    rows, levels = counts.sum(), len(counts)
    explained = (sums**2 / counts[:, None]).sum(0)
    within = ((targets**2).sum(0) - explained).sum() / (rows - levels)
    between = explained.sum() / (levels - 1)
    size = (rows - (counts**2).sum() / rows) / (levels - 1)  # rows of a level, about
    variance = (between - within) / size
    return max(float(within) / float(variance), LEAST) if variance > 1e-9 else None
