"""Splits: worked numbers and laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, TimeSeriesSplit

from gradatim.errors import InvalidType, InvalidValue
from gradatim.evaluation import hold_outs, make_splits
from gradatim.evaluation.splits import make_folds, make_strata, split_test


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
    for train, test in hold_outs(y, repeats=4, test_fraction=0.2):
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


@pytest.mark.parametrize(
    ("folds", "options", "count"),
    [
        (5, {}, 15),
        (KFold(5, shuffle=True, random_state=0), {}, 15),
        (KFold(5, shuffle=True), {}, 15),
        (KFold(5, shuffle=True, random_state=np.random.RandomState(0)), {}, 15),
        (ShuffleSplit(2, random_state=3), {}, 6),
        (KFold(5), {}, None),
        ("leave-one-out", {}, None),
        ([([0, 1], [2])], {}, None),
        (5, {"is_ordered": True}, None),
    ],
)
def test_repeats_differ_or_are_refused(folds, options, count):
    y = np.arange(60) / 7  # so many that no two unseeded folds are equal by chance
    if count is None:
        with pytest.raises(InvalidValue, match="repeats must be 1 where no shuffle"):
            make_splits(y, folds, repeats=3, **options)
        assert make_splits(y, folds, repeats=1, **options)
        return
    splits = make_splits(y, folds, repeats=3, **options)
    assert len(splits) == count
    assert len({tuple(test) for _, test in splits}) == count


def test_splits_that_are_given_keep_order_and_groups():
    y, groups = np.arange(20) / 7, np.arange(20) // 2
    assert len(make_splits(y, TimeSeriesSplit(4), is_ordered=True)) == 4
    assert len(make_splits(y, GroupKFold(4), groups=groups)) == 4
    with pytest.raises(InvalidValue, match="must learn from the past only"):
        make_splits(y, KFold(4), is_ordered=True)
    with pytest.raises(InvalidValue, match="must keep the rows of a group together"):
        make_splits(y, [([0, 2, 3], [1])], groups=groups)
    with pytest.raises(InvalidValue, match="is_stratified must come with a number of folds"):
        make_splits(y, KFold(4), is_stratified=True)


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


sizes = st.lists(st.integers(5, 40), min_size=2, max_size=5)


def covered(folds, rows):
    judged = np.concatenate([judge for _, judge in folds])
    assert sorted(judged.tolist()) == sorted(rows.tolist())
    for train, judge in folds:
        assert not set(train.tolist()) & set(judge.tolist())


@given(sizes, st.integers(2, 5), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_every_row_judges_once_and_classes_are_shared_out(counts, k, seed):
    y = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(counts)), counts))
    folds = make_folds(y, k, np.random.default_rng(seed))
    covered(folds, np.arange(len(y)))
    for label, count in enumerate(counts):
        in_folds = [int((y[judge] == label).sum()) for _, judge in folds]
        assert max(in_folds) - min(in_folds) <= 1
        assert sum(in_folds) == count


@given(sizes, st.floats(0.1, 0.5), st.integers(0, 99))
@settings(max_examples=25, deadline=None)
def test_the_test_part_has_every_class_in_its_share(counts, fraction, seed):
    y = np.repeat(np.arange(len(counts)), counts)
    train, test = split_test(y, fraction, np.random.default_rng(seed), keep=2)
    assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(y)))
    for label, count in enumerate(counts):
        assert abs((y[test] == label).sum() - fraction * count) <= 1.5
        assert (y[train] == label).sum() >= 2


def test_groups_stay_together_in_dealt_folds_and_the_test_part():
    groups = np.random.default_rng(0).integers(0, 12, 200)
    rng = np.random.default_rng(1)
    train, test = split_test(np.zeros(200), 0.25, rng, groups=groups)
    assert not set(groups[train]) & set(groups[test])
    assert 0.1 < len(test) / 200 < 0.45
    folds = make_folds(np.zeros(200), 4, rng, groups=groups)
    covered(folds, np.arange(200))
    for a, b in folds:
        assert not set(groups[a]) & set(groups[b])
        assert 20 < len(b) < 80


def test_the_past_predicts_the_future():
    times = np.random.default_rng(0).permutation(100)
    train, test = split_test(np.zeros(100), 0.2, np.random.default_rng(0), times=times)
    assert times[train].max() < times[test].min()
    assert len(test) == 20
    folds = make_folds(np.zeros(100), 4, np.random.default_rng(0), times=times)
    assert [len(train) for train, _ in folds] == [20, 40, 60, 80]
    for a, b in folds:
        assert times[a].max() < times[b].min()


def test_strata_of_numbers_are_tenths():
    strata = make_strata(np.random.default_rng(0).normal(size=1000), is_classification=False)
    assert np.bincount(strata).tolist() == [100] * 10
