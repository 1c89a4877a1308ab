"""Three parts: laws over sizes, classes, groups and order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.evaluation import split_three_ways


@settings(max_examples=40, deadline=None)
@given(
    rows=st.integers(10, 200),
    shares=st.tuples(st.floats(0.1, 0.4), st.floats(0.1, 0.4)),
    kind=st.sampled_from(["numbers", "classes", "ordered"]),
    seed=st.integers(0, 99),
)
def test_every_row_once_in_the_shares_asked_for(rows, shares, kind, seed):
    y = np.arange(rows) % 2 if kind == "classes" else np.arange(rows) / 7
    split = split_three_ways(
        y,
        validation_fraction=shares[0],
        test_fraction=shares[1],
        is_ordered=kind == "ordered",
        seed=seed,
    )
    assert sorted(np.concatenate(split).tolist()) == list(range(rows))
    assert abs(len(split.validation) - shares[0] * rows) <= 1
    assert abs(len(split.test) - shares[1] * rows) <= 1
    if kind == "classes":
        for part in split:
            assert abs(y[part].sum() - len(part) / 2) <= 2
    if kind == "ordered":
        assert (
            split.train.max() < split.validation.min() <= split.validation.max() < split.test.min()
        )


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(1, 9), min_size=3, max_size=30), seed=st.integers(0, 99))
def test_groups_stay_together_and_every_part_has_one(sizes, seed):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    split = split_three_ways(np.zeros(len(groups)), groups=groups, seed=seed)
    seen = [set(groups[part]) for part in split]
    assert all(seen)
    assert sum(map(len, seen)) == len(sizes)
    assert sorted(np.concatenate(split).tolist()) == list(range(len(groups)))


def test_the_seed_decides():
    y = np.arange(50) / 7
    first, second, third = (split_three_ways(y, seed=s).test.tolist() for s in (0, 0, 1))
    assert first == second != third


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_fraction": 0.0}, "test_fraction must be between 0 and 1, got 0.0"),
        ({"validation_fraction": 0.6, "test_fraction": 0.5}, "must leave rows to learn from"),
        ({"is_ordered": True, "groups": range(20)}, "is_ordered must come without groups"),
        ({"is_ordered": True, "is_stratified": True}, "is_ordered must come without groups"),
        ({"groups": range(20), "is_stratified": True}, "groups must come without strata"),
        ({"groups": [0, 1] * 10}, "groups must be at least three"),
        ({"groups": [0, 1, 2, 3]}, "groups must be at least three, with a label per row"),
    ],
)
def test_messages(options, message):
    with pytest.raises(InvalidValue, match=message):
        split_three_ways(np.arange(20) % 2, **options)
