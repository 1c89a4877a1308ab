import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from gradatim.errors import InvalidValue
from gradatim.fitting.images.pixels import SIMPLE, fit_pixels, pixel_features
from gradatim.fitting.tables.predictors import Fitted, predict, rehearse
from gradatim.fitting.tables.trees import forest_arrays


def data(rows=90, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    images = rng.integers(0, 60, (rows, 8, 8, 1), dtype=np.uint8)
    for k in range(3):
        images[y == k, 2 * k : 2 * k + 2] += 150
    return images, y


def test_features_are_means_of_blocks():
    images = np.arange(32 * 32, dtype=np.uint16).reshape(1, 32, 32, 1).astype(np.uint8)
    features = pixel_features(images).reshape(16, 16)
    assert features[3, 5] == pytest.approx(images[0, 6:8, 10:12].mean() / 127.5 - 1)


@pytest.mark.parametrize("name", SIMPLE[1:])
def test_simple_models_learn(name):
    images, y = data()
    fresh, truth = data(seed=1)
    model = fit_pixels(name, pixel_features(images), y, 3, 0)
    output = predict(model, pixel_features(fresh))
    assert output.sum(1) == pytest.approx(np.ones(len(fresh)))
    assert (output.argmax(1) == truth).mean() > 0.95


def test_forest_votes_as_scikit_learns():
    images, y = data()
    X = pixel_features(images)
    forest = RandomForestClassifier(20, random_state=0).fit(X, y)
    prior = np.bincount(y) / len(y)
    found = predict(forest_arrays(forest, prior), X)
    assert found == pytest.approx((20 * forest.predict_proba(X) + prior) / 21, abs=1e-6)


@pytest.mark.parametrize("name", SIMPLE)
def test_models_come_back_from_a_folder(name):
    images, y = data()
    X = pixel_features(images)
    model = fit_pixels(name, X, y, 3, 0)
    again = Fitted.restore(*model.store())
    np.testing.assert_array_equal(predict(again, X), predict(model, X))
    np.testing.assert_allclose(rehearse(again, X[:2]), predict(model, X[:2]), rtol=1e-6)


def test_a_forest_asks_for_features_that_there_are():
    images, y = data()
    model = fit_pixels(SIMPLE[3], pixel_features(images), y, 3, 0)
    with pytest.raises(InvalidValue, match=r"load_model: features of a model must be among 1, got \d+\."):  # fmt: skip
        rehearse(model, pixel_features(images)[:2, :1])
    model.arrays["left"][0] = len(model.arrays["left"])
    with pytest.raises(InvalidValue, match="nodes of trees must lead to later nodes"):
        Fitted.restore(*model.store())
