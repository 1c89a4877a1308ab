"""Learning curves."""

import numpy as np
import pytest
from sklearn.datasets import make_regression
from sklearn.linear_model import LinearRegression

from gradatim.errors import InvalidValue
from gradatim.evaluation import learning_curve


def test_training_error_rises_and_test_error_falls():
    X, y = make_regression(300, 8, noise=10.0, random_state=0)
    curve = learning_curve(LinearRegression(), X, y, sizes=[12, 40, 240])
    assert curve.train.shape == curve.test.shape == (3, 5)
    assert (np.diff(curve.train.mean(1)) > 0).all()
    assert (np.diff(curve.test.mean(1)) < 0).all()
    # theory: n - d - 1 of n degrees of freedom remain, so E_train = σ² (1 - 9/n)
    assert curve.train[-1].mean() == pytest.approx(100 * (1 - 9 / 240), rel=0.15)
    assert "12:" in repr(curve)


def test_default_sizes_end_with_all_rows():
    X, y = make_regression(50, 2, random_state=0)
    assert learning_curve(LinearRegression(), X, y).sizes[-1] == 40


def test_message():
    X, y = make_regression(50, 2, random_state=0)
    with pytest.raises(InvalidValue, match=r"sizes must lie between 1 and 40.*got \[5, 50\]"):
        learning_curve(LinearRegression(), X, y, sizes=[5, 50])
