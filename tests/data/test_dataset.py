"""The record."""

from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import pytest

from gradatim.data import DataSet
from gradatim.errors import InvalidValue

SPLIT = (slice(0, 2), slice(2, 3))


def test_train_and_test_are_the_published_rows():
    data = DataSet("toy", np.arange(6).reshape(3, 2), np.array([5, 6, 7]), split=SPLIT)
    assert [part.tolist() for part in data.train] == [[[0, 1], [2, 3]], [5, 6]]
    assert [part.tolist() for part in data.test] == [[[4, 5]], [7]]


def test_a_table_splits_by_position_whatever_its_index():
    table = pd.DataFrame({"a": list("xyz")}, index=[2, 0, 1])
    data = DataSet("toy", table, np.array([5, 6, 7]), split=SPLIT)
    assert data.train[0]["a"].tolist() == ["x", "y"]
    assert data.test[0]["a"].tolist() == ["z"]
    assert repr(data) == "DataSet('toy', X (3, 1) table, y (3,) int64, split 2/1)"


def test_a_set_without_targets_has_parts_without_targets():
    data = DataSet("toy", np.zeros((3, 1)), None, split=SPLIT)
    assert data.train[1] is None
    assert repr(data) == "DataSet('toy', X (3, 1) float64, split 2/1)"


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_set_published_whole_names_the_remedy(part):
    data = DataSet("toy", np.zeros((3, 1)), np.zeros(3))
    with pytest.raises(InvalidValue) as raised:
        getattr(data, part)
    assert str(raised.value) == (
        "DataSet: split must exist for .train and .test, got 'toy', which was published whole. "
        "Split X and y yourself, for example with sklearn.model_selection.train_test_split."
    )


def test_only_a_language_set_has_a_text():
    letters = DataSet("toy", np.array(["abc"], dtype=object), None, task="language")
    assert letters.text == "abc"
    numbers = DataSet("toy", np.zeros((3, 1)), np.zeros(3), task="regression")
    with pytest.raises(InvalidValue) as raised:
        _ = numbers.text
    assert str(raised.value) == (
        "DataSet: text must be asked of a language set, got 'toy' for regression. Its samples are in X."
    )


def test_the_record_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        DataSet("toy", np.zeros(1), None).name = "other"
