"""Comparison: Occam's rule on the same folds."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
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
    assert result.conclusion == "linear is best, and no simpler model is as good."


def test_within_the_noise_in_words():
    X, y = make_regression(40, 8, noise=100.0, random_state=3)
    result = compare({"linear": LinearRegression(), "ridge": Ridge(alpha=0.1)}, X, y, folds=4)
    assert result.best == "ridge"
    assert result.conclusion.startswith("Take linear: it is as good as ridge, which is ahead by")


class _Wrong(ClassifierMixin, BaseEstimator):
    """Knows whether a number is even, and is wrong on every so many of them."""

    def __init__(self, every=10):
        self.every = every

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] + (X[:, 0] % self.every == 0)).astype(int) % 2


def test_accuracies_near_one_are_told_apart():
    """1.1 % are less than two per cent of an accuracy of 0.995, and three times the mistakes."""
    X = np.arange(1000.0)[:, None]
    y = X[:, 0].astype(int) % 2
    result = compare({"often wrong": _Wrong(62), "seldom": _Wrong(200)}, X, y, folds=5)
    gap = result.differences["often wrong"]
    assert gap.mean + gap.error < 0.02 * 0.995
    assert result.best == result.recommended == "seldom"


def test_message():
    with pytest.raises(InvalidValue, match="models must be at least two, got 1"):
        compare({"a": Ridge()}, [[0.0]], [0.0])
