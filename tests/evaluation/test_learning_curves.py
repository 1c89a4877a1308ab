"""Learning curves."""

import numpy as np
import pytest
from sklearn.datasets import make_regression
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

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
    with pytest.raises(InvalidValue, match=r"between 2 and 40, from the classes.*got \[1\]"):
        learning_curve(GaussianNB(), X, y > 0, sizes=[1])


@pytest.mark.parametrize("seed", range(5))
def test_rare_classes_are_in_every_part(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(200, 2)), np.repeat([0, 1], [190, 10])
    parts = []

    class Watched(GaussianNB):
        def fit(self, X, y):
            parts.append(y)
            return super().fit(X, y)

    curve = learning_curve(Watched(), X, y, score="log_loss", seed=seed)
    assert curve.sizes[0] == 16
    assert np.isfinite(curve.test).all()
    for part in parts:  # 5 % of the rows, as nearly as whole rows allow, and never none
        assert 1 <= part.sum() <= 0.05 * len(part) + 1
    assert learning_curve(GaussianNB(), X, y, sizes=[2], seed=seed).train.shape == (1, 5)
