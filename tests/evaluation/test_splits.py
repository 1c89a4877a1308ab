"""Splits: worked numbers and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import KFold

from gradatim.errors import InvalidType, InvalidValue
from gradatim.evaluation import hold_outs, make_splits


@settings(max_examples=30, deadline=None)
@given(rows=st.integers(4, 60), folds=st.integers(2, 4), seed=st.integers(0, 99))
def test_every_row_is_tested_once_and_trains_the_other_folds(rows, folds, seed):
    splits = make_splits(np.arange(rows) / 7, folds, seed=seed)
    tested = np.concatenate([test for _, test in splits])
    trained = np.bincount(np.concatenate([train for train, _ in splits]), minlength=rows)
    assert sorted(tested) == list(range(rows))
    assert (trained == folds - 1).all()
    sizes = [len(test) for _, test in splits]
    assert max(sizes) - min(sizes) <= 1


def test_folds_keep_the_shares_of_the_classes():
    y = np.repeat([0, 1], [90, 10])
    for train, test in make_splits(y, 5):
        assert np.bincount(y[train]).tolist() == [72, 8]
        assert np.bincount(y[test]).tolist() == [18, 2]
    for train, test in hold_outs(y, repeats=4, test_share=0.2):
        assert np.bincount(y[train]).tolist() == [72, 8]
        assert np.bincount(y[test]).tolist() == [18, 2]


def test_as_many_folds_as_rows_is_leave_one_out():
    y = np.arange(9) / 4
    many = {int(test[0]): set(train) for train, test in make_splits(y, 9)}
    one = {int(test[0]): set(train) for train, test in make_splits(y, "leave-one-out")}
    assert many == one
    assert many[3] == set(range(9)) - {3}


def test_a_class_smaller_than_the_folds_is_not_stratified():
    y = np.array(["a"] * 10 + ["b"] * 2)
    assert len(make_splits(y, 5)) == 5


def test_time_is_learned_from_the_past_only():
    for train, test in make_splits(np.arange(30) / 7, 4, is_ordered=True):
        assert train.max() < test.min()


@pytest.mark.parametrize("y", [np.arange(40) % 2, np.arange(40) / 7])
def test_groups_stay_together(y):
    groups = np.repeat(np.arange(10), 4)
    for train, test in make_splits(y, 5, groups=groups):
        assert not set(groups[train]) & set(groups[test])


def test_repeats_shuffle_anew():
    splits = make_splits(np.arange(20) / 7, 4, repeats=3)
    assert len(splits) == 12
    assert len({tuple(test) for _, test in splits}) > 4


def test_splitters_and_pairs_are_taken_as_they_are():
    y = np.arange(6) / 7
    ours = make_splits(y, KFold(3))
    assert [test.tolist() for _, test in ours] == [[0, 1], [2, 3], [4, 5]]
    assert [test.tolist() for _, test in make_splits(y, ours)] == [[0, 1], [2, 3], [4, 5]]


def test_messages():
    y = np.arange(6) / 7
    with pytest.raises(InvalidValue, match="folds must be from 2 to the number of rows, 6, got 7"):
        make_splits(y, 7)
    with pytest.raises(InvalidValue, match="'leave-one-out' or a splitter, got 'loo'"):
        make_splits(y, "loo")
    with pytest.raises(InvalidValue, match="is_ordered must come without groups"):
        make_splits(y, 2, is_ordered=True, groups=[0] * 6)
    with pytest.raises(InvalidType, match="got nothing"):
        make_splits(y, [])
    with pytest.raises(InvalidValue, match="test rows must not be among training rows"):
        make_splits(y, [([0, 1], [1])])
