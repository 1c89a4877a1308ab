"""Which rows to learn from and which to test on."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import model_selection as ms
from sklearn.utils.multiclass import type_of_target

from gradatim.errors import InvalidType, InvalidValue

Split = tuple[NDArray[np.int64], NDArray[np.int64]]
Folds = int | str | Iterable[Any]


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
        repeats: Cuttings with different shuffles, one after another.
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
    if folds == "leave-one-out":
        folds = ms.LeaveOneOut()
    if isinstance(folds, str | bool):
        raise InvalidValue(
            f"make_splits: folds must be a number, 'leave-one-out' or a splitter, got {folds!r}."
        )
    if isinstance(folds, int | np.integer):
        folds = int(folds)
        if not 2 <= folds <= len(y):
            raise InvalidValue(
                f"make_splits: folds must be from 2 to the number of rows, {len(y)}, got {folds}. Try 5."
            )
        splitters = [
            _splitter(y, folds, is_stratified, is_ordered, groups, seed + r) for r in range(repeats)
        ]
    elif hasattr(folds, "split"):
        splitters = [folds]
    else:
        return _check(list(folds))
    return [pair for s in splitters for pair in _check(list(s.split(np.zeros(len(y)), y, groups)))]


def hold_outs(
    y: Any,
    *,
    repeats: int = 10,
    test_share: float = 0.2,
    is_stratified: bool | None = None,
    seed: int = 0,
) -> list[Split]:
    """Cut off a random test part, again and again.

    Example:
        >>> [len(test) for train, test in hold_outs(np.arange(50) / 7, repeats=3)]
        [10, 10, 10]
    """
    y = np.asarray(y)
    kind = ms.StratifiedShuffleSplit if _stratify(y, 2, is_stratified) else ms.ShuffleSplit
    splitter = kind(repeats, test_size=test_share, random_state=seed)
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
    stratified = _stratify(y, folds, is_stratified)
    if groups is not None:
        kind = ms.StratifiedGroupKFold if stratified else ms.GroupKFold
        return kind(folds, shuffle=True, random_state=seed)
    kind = ms.StratifiedKFold if stratified else ms.KFold
    return kind(folds, shuffle=True, random_state=seed)


def _stratify(y: NDArray[Any], folds: int, asked: bool | None) -> bool:
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
