"""ADALINE against least squares, and the blocked LMS pass against a loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from gradatim.errors import InvalidValue
from gradatim.neurons import Adaline, lms_pass


def blobs(seed=0, n=80):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n)
    return rng.normal(size=(n, 3)) + y[:, None], y


def least_squares(X, y):
    fit = LinearRegression().fit(X, 2.0 * y - 1)
    return np.append(fit.coef_, fit.intercept_)


def weights(model):
    return np.append(model.coef_[0], model.intercept_)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 10), st.floats(0.001, 0.1))
def test_blocks_equal_a_loop(seed, n, block, lr):
    rng = np.random.default_rng(seed)
    X, t, start = rng.normal(size=(n, 4)), rng.normal(size=n), rng.normal(size=4)
    w = start.copy()
    for x, target in zip(X, t, strict=True):
        w = w + lr * (target - w @ x) * x
    np.testing.assert_allclose(lms_pass(start, X, t, lr, block=block), w, rtol=1e-9, atol=1e-9)


def test_batch_reaches_least_squares():
    X, y = blobs()
    model = Adaline().fit(X, y)
    np.testing.assert_allclose(weights(model), least_squares(X, y), atol=1e-7)
    assert all(b <= a + 1e-12 for a, b in zip(model.losses_, model.losses_[1:], strict=False))


def test_stochastic_rule_nears_least_squares_in_proportion_to_its_step():
    X, y = blobs(1)
    goal = least_squares(X, y)
    distances = []
    for lr in (0.02, 0.01, 0.005):
        model = Adaline(mode="stochastic", lr=lr, max_epochs=5000).fit(X, y)
        distances.append(np.linalg.norm(weights(model) - goal))
    assert distances[0] < 0.2
    ratios = np.array(distances[:-1]) / distances[1:]
    np.testing.assert_allclose(ratios, 2.0, rtol=0.2)


def test_first_batch_step_by_hand():
    model = Adaline(lr=0.1, max_epochs=1).fit([[2.0], [-1.0]], [1, 0])
    # zero weights, errors +1 and -1: w = 0.1 * mean(2, 1), b = 0.1 * mean(1, -1)
    np.testing.assert_allclose(weights(model), [0.15, 0.0], atol=1e-15)
    assert model.losses_[0] == 1.0
    assert model.losses_[1] == pytest.approx(((1 - 0.3) ** 2 + (-1 + 0.15) ** 2) / 2)


def test_default_stochastic_step_is_stable():
    X, y = blobs(2)
    assert Adaline(mode="stochastic", max_epochs=50).fit(1000 * X, y).score(1000 * X, y) > 0.7


def test_too_large_a_step_is_refused_with_its_limit():
    X, y = [[1.0], [-1.0]], [1, 0]  # X'X/n is the identity, with the intercept
    with pytest.raises(
        InvalidValue, match=r"lr must be below 2/lambda_max = 2 to converge, got 2\.5"
    ):
        Adaline(lr=2.5).fit(X, y)
    with pytest.raises(
        InvalidValue, match=r"lr must be below 2/max\|x\|\^2 = 1 to converge, got 1.5"
    ):
        Adaline(mode="stochastic", lr=1.5).fit(X, y)


def test_unknown_mode_is_refused():
    with pytest.raises(
        InvalidValue, match="Adaline: mode must be one of batch, stochastic, got 'bath'"
    ):
        Adaline(mode="bath").fit([[0.0], [1.0]], [0, 1])


@parametrize_with_checks([Adaline(max_epochs=500)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
