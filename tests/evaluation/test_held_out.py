"""The test set that counts."""

import pytest
from sklearn.dummy import DummyRegressor

from gradatim.evaluation import TestSet


def test_the_first_use_is_silent_and_the_second_warns():
    test = TestSet([[0.0], [1.0]], [1.0, 3.0])
    model = DummyRegressor(strategy="constant", constant=0.0).fit([[0.0]], [0.0])
    assert repr(test) == "TestSet(2 rows, not used yet)"
    assert test.score(model) == pytest.approx(5.0)
    with pytest.warns(UserWarning, match="TestSet: used 2 times"):
        assert test.score(model, "mae") == pytest.approx(2.0)
    with pytest.warns(UserWarning, match="used 3 times"):
        X, y = test.open()
    assert (len(X), y) == (2, [1.0, 3.0])
    assert repr(test) == "TestSet(2 rows, used 3 times)"
