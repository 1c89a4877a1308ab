"""The decomposition adds up, and agrees with theory where theory is known."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from gradatim.errors import InvalidValue
from gradatim.estimators import NeuralRegressor
from gradatim.evaluation import bias_variance

NOISE = 0.25
X = np.linspace(-1, 1, 20).reshape(-1, 1)


def sample(rng, truth=lambda x: 2 * x):
    return X, truth(X[:, 0]) + np.sqrt(NOISE) * rng.normal(size=20)


@pytest.mark.parametrize("model", [LinearRegression(), NeuralRegressor((4,), epochs=3)])
def test_parts_add_up_exactly(model):
    result = bias_variance(model, sample, X, 2 * X[:, 0], noise=NOISE, repeats=20)
    np.testing.assert_allclose(result.bias2 + result.variance + NOISE, result.error, rtol=1e-12)
    means = result.means
    assert means["bias²"] + means["variance"] + means["noise"] == pytest.approx(means["error"])


def test_least_squares_has_no_bias_and_a_known_variance():
    result = bias_variance(LinearRegression(), sample, X, 2 * X[:, 0], noise=NOISE, repeats=600)
    design = np.c_[np.ones(20), X]
    hat = design @ np.linalg.solve(design.T @ design, design.T)
    np.testing.assert_allclose(result.variance, NOISE * np.diag(hat), rtol=0.25)
    assert result.means["bias²"] < 3e-4
    assert result.measured == pytest.approx(result.means["error"], rel=0.03)
    assert "= error" in repr(result)


def test_messages():
    with pytest.raises(InvalidValue, match="repeats must be at least 2, got 1"):
        bias_variance(LinearRegression(), sample, X, X[:, 0], noise=1.0, repeats=1)
    with pytest.raises(InvalidValue, match="noise must be a variance, at least 0, got -1"):
        bias_variance(LinearRegression(), sample, X, X[:, 0], noise=-1.0)
