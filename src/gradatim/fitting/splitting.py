"""Which rows are learned from and which judge: shuffled and stratified, by group, or by time."""

import numpy as np

Split = tuple[np.ndarray, np.ndarray]


def make_strata(y: np.ndarray, *, is_classification: bool, bins: int = 10) -> np.ndarray:
    """Classes as they are; numbers as tenths of their ranks, so that every fold gets large and small ones.

    Example:
        >>> make_strata(np.arange(20.0), is_classification=False).tolist()[:4]
        [0, 0, 1, 1]
    """
    if is_classification:
        return y
    ranks = np.argsort(np.argsort(y, kind="stable"), kind="stable")
    return ranks * min(bins, len(y)) // len(y)


def assign_folds(strata: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Deal the rows of every stratum to ``count`` folds in turn, in random order.

    Example:
        >>> folds = assign_folds(np.repeat([0, 1], [6, 3]), 3, np.random.default_rng(0))
        >>> [int((folds[:6] == k).sum()) for k in range(3)], sorted(folds[6:].tolist())
        ([2, 2, 2], [0, 1, 2])
    """
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    folds = np.empty(len(strata), dtype=np.int64)
    folds[order] = np.arange(len(strata)) % count
    return folds


def assign_groups(groups: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Deal whole groups to ``count`` folds, the largest first, each to the smallest fold."""
    names, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(names))
    place, filled = np.empty(len(names), dtype=np.int64), np.zeros(count)
    for k in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        place[k] = int(filled.argmin())
        filled[place[k]] += sizes[k]
    return place[inverse]


def split_test(
    strata: np.ndarray,
    fraction: float,
    rng: np.random.Generator,
    *,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
    keep: int = 0,
) -> Split:
    """Set the test rows aside: the latest where there is a time, whole groups where there are groups.

    Args:
        strata: Stratum of every row; each gives its share.
        fraction: Share of test rows.
        rng: Source of randomness.
        groups: Group of every row.
        times: Time of every row.
        keep: Rows of every stratum that stay for training, however small it is.

    Returns:
        Training rows and test rows, both in order of the table.
    """
    rows = len(strata)
    wanted = min(max(round(fraction * rows), 1), rows - 1)
    if times is not None:
        test = np.argsort(times, kind="stable")[rows - wanted :]
    elif groups is not None:
        test = _test_groups(groups, wanted, rng)
    else:
        test = _test_rows(strata, wanted, rng, keep)
    is_test = np.zeros(rows, dtype=bool)
    is_test[test] = True
    return np.flatnonzero(~is_test), np.flatnonzero(is_test)


def _test_rows(strata: np.ndarray, wanted: int, rng: np.random.Generator, keep: int) -> np.ndarray:
    """Every stratum gives its share, but for ``keep`` rows that stay."""
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    ranks = np.arange(len(strata))
    step = len(strata) / wanted
    chosen = order[np.floor((ranks[:wanted] + 0.5) * step).astype(int)]
    for stratum in np.unique(strata[chosen]):
        own = chosen[strata[chosen] == stratum]
        too_many = len(own) - max(int((strata == stratum).sum()) - keep, 0)
        if too_many > 0:
            chosen = chosen[~np.isin(chosen, own[:too_many])]
    return chosen


def _test_groups(groups: np.ndarray, wanted: int, rng: np.random.Generator) -> np.ndarray:
    names, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = rng.permutation(len(names))
    filled = np.cumsum(sizes[order])
    count = min(int(np.searchsorted(filled, wanted)) + 1, len(names) - 2)
    return np.flatnonzero(np.isin(inverse, order[:count]))


def make_folds(
    strata: np.ndarray,
    count: int,
    rng: np.random.Generator,
    *,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
) -> list[Split]:
    """Return ``(training rows, judging rows)`` of every fold.

    With ``times`` every fold learns from the past of what it predicts: the rows in order of time are
    cut into ``count + 1`` blocks, and block :math:`k+1` is predicted from blocks :math:`1…k`.
    """
    if times is not None:
        blocks = np.array_split(np.argsort(times, kind="stable"), count + 1)
        return [(np.concatenate(blocks[: k + 1]), blocks[k + 1]) for k in range(count)]
    if groups is not None:
        place = assign_groups(groups, min(count, len(np.unique(groups))), rng)
    else:
        place = assign_folds(strata, count, rng)
    return [
        (np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in range(place.max() + 1)
    ]
