"""Comparison: Occam's rule on the same folds."""

import pytest
from sklearn.datasets import make_regression
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge

from gradatim.errors import InvalidValue
from gradatim.evaluation import compare


def test_the_simpler_of_two_equal_models_is_recommended():
    X, y = make_regression(80, 5, noise=20.0, random_state=0)
    models = {"mean": DummyRegressor(), "linear": LinearRegression(), "ridge": Ridge(alpha=1e-3)}
    result = compare(models, X, y, folds=5)
    assert result.recommended == "linear"
    assert result.differences["mean"].low > 0
    assert result.differences[result.best] == (0, 0, 0, 0)
    assert len({r.splits[0][1][0] for r in result.results.values()}) == 1
    assert "linear" in repr(result)


def test_higher_scores_win_where_higher_is_better():
    X, y = make_regression(80, 5, noise=1.0, random_state=0)
    result = compare({"mean": DummyRegressor(), "linear": LinearRegression()}, X, y, score="r2")
    assert result.best == result.recommended == "linear"
    assert result.conclusion == "linear is best, and no simpler model comes close."


def test_within_the_noise_in_words():
    X, y = make_regression(40, 8, noise=100.0, random_state=3)
    result = compare({"linear": LinearRegression(), "ridge": Ridge(alpha=1.0)}, X, y, folds=4)
    assert result.best == "ridge"
    assert result.conclusion.startswith("Take linear: ridge is ahead by")


def test_message():
    with pytest.raises(InvalidValue, match="models must be at least two, got 1"):
        compare({"a": Ridge()}, [[0.0]], [0.0])
