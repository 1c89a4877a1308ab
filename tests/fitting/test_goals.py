"""Rows that weigh and other aims: whole weights are repeated rows, quantiles have their share below."""

import numpy as np
import pytest

from gradatim.evaluation.criteria import find_criterion
from gradatim.fitting.goals import Goal
from gradatim.fitting.tables.candidates import TREES, fit_simple, simple_models
from gradatim.fitting.tables.networks import NetworkJob, NetworkSettings, fit_network, fit_networks
from gradatim.fitting.tables.predictors import predict

NINETY = Goal(find_criterion("fit", "quantile:0.9", 0))
BALANCED = Goal(find_criterion("fit", "balanced-accuracy", 2))


def data(classes, rows=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 3))
    signal = X[:, 0] + 0.5 * rng.normal(size=rows)
    y = np.digitize(signal, [-0.5, 0.5][: classes - 1]) if classes else signal
    return X, y, rng.integers(0, 4, rows)


@pytest.mark.parametrize(
    ("name", "classes", "chosen"),
    [
        ("mean", 0, {}),
        ("class frequencies", 3, {}),
        ("ridge regression", 0, {"penalty": 0.5}),
        ("logistic regression", 2, {"penalty": 0.1}),
        ("logistic regression", 3, {"penalty": 1.0, "is_balanced": True}),
    ],
)
@pytest.mark.parametrize("goal", [Goal(), NINETY])
def test_whole_weights_are_repeated_rows(name, classes, chosen, goal):
    if classes and goal is NINETY:
        pytest.skip("a quantile of classes")
    X, y, weight = data(classes)
    rows = np.repeat(np.arange(len(y)), weight)
    own = fit_simple(name, X, y, classes, 0, chosen, goal._replace(weight=weight.astype(float)))
    again = fit_simple(name, X[rows], y[rows], classes, 0, chosen, goal)
    np.testing.assert_allclose(predict(own, X), predict(again, X), rtol=2e-3, atol=2e-4)
    plain = fit_simple(name, X, y, classes, 0, chosen, goal)
    assert goal is NINETY or np.abs(predict(plain, X) - predict(own, X)).max() > 1e-3


@pytest.mark.parametrize("classes", [0, 2])
def test_trees_and_networks_weigh(classes):
    """Of two halves that contradict each other, the heavier one is believed."""
    X, y, _ = data(classes, rows=400)
    mirrored = 1 - y if classes else -y
    both, truth = np.concatenate([X, X]), np.concatenate([y, mirrored])
    goal = Goal(weight=np.repeat([20.0, 1.0], len(X)))
    settings = NetworkSettings(steps=300, bins=0, hidden=(8,), weight_decay=0.001)
    for model in (fit_simple(TREES, both, truth, classes, 0, goal=goal), fit_network(both, truth, classes, settings, 0, goal)):  # fmt: skip
        said = predict(model, X)
        if classes:
            assert (said.argmax(1) == y).mean() > 0.75
        else:
            assert np.corrcoef(said, y)[0, 1] > 0.7


@pytest.mark.parametrize("name", ["mean", "ridge regression", TREES, "network"])
def test_a_quantile_has_its_share_of_rows_below(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = X[:, 0] + (1 + np.abs(X[:, 1])) * rng.normal(size=3000)
    settings = NetworkSettings(steps=500, bins=0, hidden=(16,), weight_decay=0.01)
    train, judge = np.arange(2000), np.arange(2000, 3000)
    if name == "network":
        model = fit_network(X[train], y[train], 0, settings, 0, NINETY)
    else:
        model = fit_simple(name, X[train], y[train], 0, 0, goal=NINETY)
    share = (y[judge] <= predict(model, X[judge])).mean()
    assert share == pytest.approx(0.9, abs=0.04)


def test_networks_side_by_side_weigh_as_each_alone():
    X, y, weight = data(2, rows=80)
    goal = BALANCED._replace(weight=weight + 1.0)
    settings = [NetworkSettings(steps=60, hidden=(4,), bins=0, is_balanced=b) for b in (False, True)]  # fmt: skip
    together = fit_networks([NetworkJob(X, y, own, 3, goal) for own in settings], 2)
    for own, model in zip(settings, together, strict=True):
        alone = fit_network(X, y, 2, own, 3, goal)
        np.testing.assert_allclose(predict(model, X), predict(alone, X), rtol=1e-4)
    assert np.abs(predict(together[0], X) - predict(together[1], X)).max() > 1e-3


def test_balanced_models_give_probabilities_of_the_classes_as_they_are():
    rng = np.random.default_rng(0)
    y = (rng.random(4000) < 0.05).astype(int)
    X = rng.normal(size=(4000, 2)) + 1.5 * y[:, None]
    plain = fit_simple("logistic regression", X, y, 2, 0, {"penalty": 0.1}, BALANCED)
    own = fit_simple("logistic regression", X, y, 2, 0, {"penalty": 0.1, "is_balanced": True}, BALANCED)  # fmt: skip
    settings = NetworkSettings(steps=400, hidden=(8,), bins=0, weight_decay=0.01, is_balanced=True)
    network = fit_network(X, y, 2, settings, 0, BALANCED)
    for model in (own, network):
        assert predict(model, X)[:, 1].mean() == pytest.approx(0.05, abs=0.015)
        assert np.corrcoef(predict(model, X)[:, 1], predict(plain, X)[:, 1])[0, 1] > 0.95


def test_balance_is_chosen_only_where_the_score_asks_for_it():
    rng = np.random.default_rng(0)
    y = (rng.random(600) < 0.08).astype(int)
    X = rng.normal(size=(600, 2)) + y[:, None]
    plain = fit_simple("logistic regression", X, y, 2, 0)
    assert "is_balanced" not in plain.settings
    for name in simple_models(2):
        fitted = fit_simple(name, X, y, 2, 0, goal=BALANCED)
        again = fit_simple(name, X, y, 2, 0, fitted.settings, BALANCED)
        np.testing.assert_allclose(predict(fitted, X), predict(again, X), rtol=1e-6)


def test_the_best_constant():
    y, weight = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 1.0, 1.0, 7.0])
    assert Goal(weight=weight).center(y) == pytest.approx(3.4)
    assert NINETY.center(np.arange(1.0, 101.0)) == 90.0
    assert Goal(find_criterion("fit", "mae", 0), weight).center(y) == 4.0
    assert Goal(find_criterion("fit", "mape", 0)).quantile is None
