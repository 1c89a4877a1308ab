"""Rows to learn from, rows to choose by, rows to test on."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gradatim.errors import require
from gradatim.evaluation.splits import split_test, stratify


class ThreeWaySplit(NamedTuple):
    """Row numbers of three parts that have no row in common, each in rising order.

    Args:
        train: Rows to learn from.
        validation: Rows to choose settings and the time to stop by.
        test: Rows to be used once, at the end.
    """

    train: NDArray[np.int64]
    validation: NDArray[np.int64]
    test: NDArray[np.int64]


def split_three_ways(
    y: Any,
    *,
    validation_fraction: float = 0.2,
    test_fraction: float = 0.2,
    is_stratified: bool | None = None,
    is_ordered: bool = False,
    groups: Sequence[Any] | NDArray[Any] | None = None,
    seed: int = 0,
) -> ThreeWaySplit:
    """Cut rows into training, validation and test rows.

    Args:
        y: Targets, one per row.
        validation_fraction: Share of all rows to validate on.
        test_fraction: Share of all rows to test on.
        is_stratified: Whether every part keeps the shares of the classes; by default where ``y`` holds classes
            with at least three rows each.
        is_ordered: Whether rows are in the order of time: the last are tested, those before them validate.
        groups: A label per row; rows of a group stay together, so that shares hold only roughly.
        seed: Fixes the draws.

    Example:
        >>> y = np.repeat(["A", "B"], [90, 10])
        >>> split = split_three_ways(y)
        >>> [(len(rows), int((y[rows] == "B").sum())) for rows in split]
        [(60, 6), (20, 2), (20, 2)]
    """
    y, labels = np.asarray(y), None if groups is None else np.asarray(groups)
    rows = len(y)
    _check_shares(rows, validation_fraction, test_fraction)
    _check_kind(rows, is_ordered, is_stratified, labels)
    strata: NDArray[Any] = np.zeros(rows)
    if not is_ordered and labels is None and stratify(y, 3, is_stratified):
        strata = np.unique(y, return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    times = np.arange(rows) if is_ordered else None

    def cut(among: NDArray[np.int64], share: float, keep_groups: int) -> list[NDArray[np.int64]]:
        parts = split_test(
            strata[among],
            share * rows / len(among),
            rng,
            groups=None if labels is None else labels[among],
            times=None if times is None else times[among],
            keep_groups=keep_groups,
        )
        return [among[part] for part in parts]

    rest, test = cut(np.arange(rows), test_fraction, 2)
    train, validation = cut(rest, validation_fraction, 1)
    return ThreeWaySplit(train, validation, test)


def _check_shares(rows: int, validation_fraction: float, test_fraction: float) -> None:
    shares = {"validation_fraction": validation_fraction, "test_fraction": test_fraction}
    for name, share in shares.items():
        require(0 < share < 1, f"split_three_ways: {name} must be between 0 and 1", share)
    together = sum(shares.values())
    rule = "split_three_ways: validation_fraction and test_fraction must leave rows to learn from"
    require(together < 1 and rows >= 3, rule, f"{together:g} of {rows} rows", "Try 0.2 each.")


def _check_kind(
    rows: int, is_ordered: bool, is_stratified: bool | None, labels: NDArray[Any] | None
) -> None:
    rule = "split_three_ways: is_ordered must come without groups and strata"
    require(not (is_ordered and (labels is not None or is_stratified)), rule, "both")
    if labels is None:
        return
    rule = "split_three_ways: groups must come without strata"
    require(not is_stratified, rule, "both", "Leave is_stratified out.")
    rule = "split_three_ways: groups must be at least three, with a label per row"
    got = f"{len(np.unique(labels))} groups of {len(labels)} labels for {rows} rows"
    require(len(labels) == rows and len(np.unique(labels)) > 2, rule, got)
