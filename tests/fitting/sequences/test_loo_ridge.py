"""Ridge by leaving one out, against leaving one out."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from gradatim.fitting.sequences.loo_ridge import _solve, choose_sharpness, fit_loo_ridge
from gradatim.fitting.tables.predictors import predict

RNG = np.random.default_rng(0)


def test_predictions_of_series_left_out_are_those_of_models_that_never_saw_them():
    X, Y = RNG.normal(size=(12, 30)), RNG.normal(size=(12, 2))
    centred = X - X.mean(0)
    found = _solve(centred, Y, Y.mean(0), [3.0], np.zeros(12), 0).left_out
    for k in range(12):
        rest = np.arange(12) != k
        slow = Ridge(alpha=3.0).fit(X[rest], Y[rest]).predict(X[k : k + 1])[0]
        np.testing.assert_allclose(found[k], slow, rtol=1e-8)


def test_a_line_is_found_and_held():
    X = RNG.normal(size=(40, 5))
    y = 100.0 + X @ np.array([5.0, 0, 0, -2.0, 1.0])
    model = fit_loo_ridge(X, y, 0)
    np.testing.assert_allclose(predict(model, X), y, atol=0.1)
    assert predict(model, 1e6 * np.ones((1, 5))) <= 2 * y.max() - y.min()


def test_classes_get_probabilities_that_fit_their_frequencies():
    y = np.arange(60) % 3
    X = np.eye(3)[y] + 0.3 * RNG.normal(size=(60, 3))
    p = predict(fit_loo_ridge(X, y, 3), X)
    np.testing.assert_allclose(p.sum(1), 1.0)
    assert (p.argmax(1) == y).mean() > 0.9
    noise = predict(fit_loo_ridge(RNG.normal(size=(60, 200)), y, 3), RNG.normal(size=(60, 200)))
    assert noise.max(1).mean() < 0.55  # of what tells nothing, nothing is sure


def test_perfect_answers_stay_short_of_certainty():
    values = np.where(np.eye(2)[np.arange(20) % 2] > 0, 1.0, -1.0)
    few, many = (choose_sharpness(np.tile(values, (k, 1)), np.tile(np.arange(20) % 2, k)) for k in (1, 50))  # fmt: skip
    assert few < many < 10


def test_a_penalty_once_chosen_stays():
    X, y = RNG.normal(size=(20, 4)), RNG.normal(size=20)
    assert fit_loo_ridge(X, y, 0, 7.5).settings["penalty"] == pytest.approx(7.5)
