import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.fitting.splitting import make_folds, make_strata, split_test

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


def test_groups_stay_together():
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
