"""Which rows to learn from and which to test on.

:func:`make_splits` and :func:`hold_outs` cut as scikit-learn's splitters do. :func:`make_folds` and :func:`split_test`
deal rows from a generator: they stratify numbers too, keep rare classes in training, and know the times of rows.
"""

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import model_selection as ms
from sklearn.utils.multiclass import type_of_target

from gradatim.errors import InvalidType, InvalidValue, require, require_whole

Split = tuple[NDArray[np.int64], NDArray[np.int64]]
Folds = int | str | Iterable[Any]
_REPEATS = "make_splits: repeats must be 1 where no shuffle makes them differ"


def make_splits(
    y: Any,
    folds: Folds = 5,
    *,
    repeats: int = 1,
    is_stratified: bool | None = None,
    is_ordered: bool = False,
    groups: Sequence[Any] | NDArray[Any] | None = None,
    seed: int = 0,
) -> list[Split]:
    """Cut rows into pairs of training and test rows.

    Args:
        y: Targets.
        folds: Number of folds, ``"leave-one-out"``, a scikit-learn splitter, or pairs of indices.
        repeats: Cuttings with different shuffles, one after another. Where nothing is shuffled, there is nothing to
            repeat, and more than one is refused: the same folds again would only feign certainty.
        is_stratified: Whether every fold keeps the shares of the classes; by default where ``y`` holds
            classes and every class has a row for every fold.
        is_ordered: Whether rows are in the order of time: every fold then learns from the past only.
        groups: A label per row; rows of a group stay together.
        seed: Fixes the shuffling.

    Example:
        >>> y = np.repeat(["A", "B"], [90, 10])
        >>> train, test = make_splits(y, 5)[0]
        >>> np.unique(y[train], return_counts=True)[1].tolist(), np.unique(y[test], return_counts=True)[1].tolist()
        ([72, 8], [18, 2])
    """
    y = np.asarray(y)
    require_whole("make_splits", repeats=repeats)
    if isinstance(folds, str) and folds == "leave-one-out":
        folds = ms.LeaveOneOut()
    if isinstance(folds, str | bool):
        raise InvalidValue(
            f"make_splits: folds must be a number, 'leave-one-out' or a splitter, got {folds!r}."
        )
    if isinstance(folds, int | np.integer):
        require(not (is_ordered and repeats > 1), _REPEATS, f"{repeats} of ordered rows", "Try 1.")
        folds = int(folds)
        if not 2 <= folds <= len(y):
            raise InvalidValue(
                f"make_splits: folds must be from 2 to the number of rows, {len(y)}, got {folds}. Try 5."
            )
        splitters = [
            _splitter(y, folds, is_stratified, is_ordered, groups, seed + r) for r in range(repeats)
        ]
        return [pair for s in splitters for pair in _cut(s, y, groups)]
    rule = "make_splits: is_stratified must come with a number of folds"
    require(not is_stratified, rule, f"it with {folds!r}", "Try StratifiedKFold.")
    given = _given_splits(folds, y, repeats, groups, seed)
    _check_kept(given, is_ordered, groups)
    return given


def _cut(
    splitter: Any, y: NDArray[Any], groups: Sequence[Any] | NDArray[Any] | None
) -> list[Split]:
    return _check(list(splitter.split(np.zeros(len(y)), y, groups)))


def _given_splits(
    folds: Any,
    y: NDArray[Any],
    repeats: int,
    groups: Sequence[Any] | NDArray[Any] | None,
    seed: int,
) -> list[Split]:
    """Splits of a splitter, ``repeats`` times with other shuffles, or pairs as they are."""
    if not hasattr(folds, "split"):
        require(repeats == 1, _REPEATS, f"{repeats} of given pairs", "Give all pairs.")
        return _check(list(folds))
    is_shuffled = hasattr(folds, "random_state") and getattr(folds, "shuffle", True)
    remedy = "Try shuffle=True, or folds=5."
    require(repeats == 1 or is_shuffled, _REPEATS, f"{repeats} of {folds!r}", remedy)
    splits = _cut(folds, y, groups)
    for r in range(1, repeats):
        again = copy(folds)
        if not isinstance(folds.random_state, np.random.RandomState):  # which goes on by itself
            again.random_state = (seed if folds.random_state is None else folds.random_state) + r
        splits += _cut(again, y, groups)
    return splits


def _check_kept(
    splits: list[Split], is_ordered: bool, groups: Sequence[Any] | NDArray[Any] | None
) -> None:
    """Raise unless splits that were given keep order and groups, where these are asked for."""
    for train, test in splits:
        if is_ordered and len(train) and len(test) and train.max() > test.min():
            raise InvalidValue(
                "make_splits: folds must learn from the past only where is_ordered is true, got later rows to learn "
                "from. Try a number of folds or TimeSeriesSplit."
            )
        if (
            groups is not None
            and np.isin(np.asarray(groups)[test], np.asarray(groups)[train]).any()
        ):
            raise InvalidValue(
                "make_splits: folds must keep the rows of a group together, got a group on both sides. "
                "Try a number of folds or GroupKFold."
            )


def hold_outs(
    y: Any,
    *,
    repeats: int = 10,
    test_fraction: float = 0.2,
    is_stratified: bool | None = None,
    seed: int = 0,
) -> list[Split]:
    """Cut off a random test part, again and again.

    Args:
        y: Targets, one per row.
        repeats: How often.
        test_fraction: Share of the rows that is cut off.
        is_stratified: Whether classes keep their shares; by default where ``y`` holds classes.
        seed: Fixes the draws.

    Example:
        >>> [len(test) for train, test in hold_outs(np.arange(50) / 7, repeats=3)]
        [10, 10, 10]
    """
    y = np.asarray(y)
    kind = ms.StratifiedShuffleSplit if stratify(y, 2, is_stratified) else ms.ShuffleSplit
    splitter = kind(repeats, test_size=test_fraction, random_state=seed)
    return list(splitter.split(np.zeros(len(y)), y))


def _splitter(
    y: NDArray[Any],
    folds: int,
    is_stratified: bool | None,
    is_ordered: bool,
    groups: Sequence[Any] | NDArray[Any] | None,
    seed: int,
) -> Any:
    if is_ordered:
        if groups is not None or is_stratified:
            raise InvalidValue(
                "make_splits: is_ordered must come without groups and strata, got both. "
                "Order decides which rows are tested."
            )
        return ms.TimeSeriesSplit(folds)
    stratified = stratify(y, folds, is_stratified)
    if groups is not None:
        kind = ms.StratifiedGroupKFold if stratified else ms.GroupKFold
        return kind(folds, shuffle=True, random_state=seed)
    kind = ms.StratifiedKFold if stratified else ms.KFold
    return kind(folds, shuffle=True, random_state=seed)


def stratify(y: NDArray[Any], folds: int, asked: bool | None) -> bool:
    """Whether parts should keep the shares of the classes: as asked, or where ``y`` holds classes with enough rows.

    >>> stratify(np.arange(30) % 3, 5, None), stratify(np.arange(30) / 7, 5, None)
    (True, False)
    """
    if asked is not None:
        return asked
    if type_of_target(y) not in ("binary", "multiclass"):
        return False
    counts = np.unique(y, return_counts=True)[1]
    is_label = y.dtype.kind in "OUSb" or len(counts) <= max(20, len(y) // 20)
    return bool(is_label and counts.min() >= folds)


def _check(splits: list[Any]) -> list[Split]:
    if not splits or not all(isinstance(s, tuple | list) and len(s) == 2 for s in splits):
        raise InvalidType(
            "make_splits: folds must be a number, a splitter or pairs (train, test) of indices, "
            f"got {type(splits[0]).__name__ if splits else 'nothing'}."
        )
    for train, test in splits:
        if np.intersect1d(train, test).size:
            raise InvalidValue("make_splits: test rows must not be among training rows, got some.")
    return [(np.asarray(train), np.asarray(test)) for train, test in splits]


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


def _deal_rows(strata: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Deal the rows of every stratum to ``count`` folds in turn, in random order.

    >>> folds = _deal_rows(np.repeat([0, 1], [6, 3]), 3, np.random.default_rng(0))
    >>> [int((folds[:6] == k).sum()) for k in range(3)], sorted(folds[6:].tolist())
    ([2, 2, 2], [0, 1, 2])
    """
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    folds = np.empty(len(strata), dtype=np.int64)
    folds[order] = np.arange(len(strata)) % count
    return folds


def _deal_groups(groups: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Deal whole groups to ``count`` folds, the largest first, each to the smallest fold."""
    names, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    shuffled = rng.permutation(len(names))
    place, filled = np.empty(len(names), dtype=np.int64), np.zeros(count)
    for k in shuffled[np.argsort(-sizes[shuffled], kind="stable")]:
        place[k] = int(filled.argmin())
        filled[place[k]] += sizes[k]
    return place[inverse]


def _firsts(twins: np.ndarray) -> np.ndarray:
    """The first row with the number of every row.

    >>> _firsts(np.array([7, 5, 7, 5])).tolist()
    [0, 1, 0, 1]
    """
    _, first, inverse = np.unique(twins, return_index=True, return_inverse=True)
    return first[inverse]


def split_test(
    strata: np.ndarray,
    fraction: float,
    rng: np.random.Generator,
    *,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
    keep: int = 0,
    keep_groups: int = 2,
    twins: np.ndarray | None = None,
) -> Split:
    """Set the test rows aside: the latest where there is a time, whole groups where there are groups.

    Args:
        strata: Stratum of every row; each gives its share.
        fraction: Share of test rows.
        rng: Source of randomness.
        groups: Group of every row.
        times: Time of every row.
        keep: Rows of every stratum that stay for training, however small it is.
        keep_groups: Groups that stay for training, however large the others are.
        twins: A number for every row, the same for rows that repeat each other; these go where the first of them goes.

    Returns:
        Training rows and test rows, both in order of the table.
    """
    rows = len(strata)
    wanted = min(max(round(fraction * rows), 1), rows - 1)
    if times is not None:
        test = np.argsort(times, kind="stable")[rows - wanted :]
    elif groups is not None:
        test = _test_groups(groups, wanted, rng, keep_groups)
    else:
        test = _test_rows(strata, wanted, rng, keep)
    is_test = np.zeros(rows, dtype=bool)
    is_test[test] = True
    if twins is not None and times is None and groups is None:
        is_test = is_test[_firsts(twins)]
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


def _test_groups(
    groups: np.ndarray, wanted: int, rng: np.random.Generator, keep: int
) -> np.ndarray:
    names, inverse, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    order = rng.permutation(len(names))
    filled = np.cumsum(sizes[order])
    count = min(int(np.searchsorted(filled, wanted)) + 1, len(names) - keep)
    return np.flatnonzero(np.isin(inverse, order[:count]))


def make_folds(
    strata: np.ndarray,
    count: int,
    rng: np.random.Generator,
    *,
    groups: np.ndarray | None = None,
    times: np.ndarray | None = None,
    twins: np.ndarray | None = None,
) -> list[Split]:
    """Return ``(training rows, judging rows)`` of every fold.

    Rows with the same number in ``twins`` repeat each other and fall into one fold. With ``times`` every fold learns from the past of what it predicts: the rows in order of time are
    cut into ``count + 1`` blocks, and block :math:`k+1` is predicted from blocks :math:`1…k`.
    """
    if times is not None:
        blocks = np.array_split(np.argsort(times, kind="stable"), count + 1)
        return [(np.concatenate(blocks[: k + 1]), blocks[k + 1]) for k in range(count)]
    if groups is not None:
        place = _deal_groups(groups, min(count, len(np.unique(groups))), rng)
    else:
        place = _deal_rows(strata, count, rng)
        place = place if twins is None else place[_firsts(twins)]
    return [
        (np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in range(place.max() + 1)
    ]
