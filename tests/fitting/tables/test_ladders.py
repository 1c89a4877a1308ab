"""Ladders of bins in a table's network: learned, limited, stored, refused."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.tables.ladders import (
    EDGES,
    FEATURE,
    LOOKED_AT,
    MOST_CELLS,
    MOST_WIDTH,
    add_ladders,
    check_ladders,
    learn_ladders,
    num_bins,
)
from gradatim.fitting.tables.networks import NetworkSettings, fit_network
from gradatim.fitting.tables.predictors import Fitted, predict, rehearse
from gradatim.model_folder import tensors_from


def make_table(rows=120):
    rng = np.random.default_rng(0)
    return np.stack([rng.integers(0, 2, rows), rng.normal(size=rows), np.ones(rows), rng.normal(size=rows)], 1)  # fmt: skip


def test_only_numbers_get_ladders_and_edges_are_quantiles():
    X = make_table()
    own = learn_ladders(X, 8)
    assert own[FEATURE].tolist() == [1, 3]
    expected = np.quantile(X[:, [1, 3]], np.linspace(0, 1, 9), axis=0).T
    np.testing.assert_allclose(own[EDGES], expected, atol=1e-6)
    assert add_ladders(own, X).shape == (120, 4 + 2 * 8)
    assert learn_ladders(X, 0) == learn_ladders(X[:, [0, 2]], 8) == {}
    assert add_ladders({}, X) is X


def test_edges_of_many_rows_are_those_of_some():
    X = np.random.default_rng(0).normal(size=(5 * LOOKED_AT, 1))
    expected = np.quantile(X, np.linspace(0, 1, 5)[1:-1])
    np.testing.assert_allclose(learn_ladders(X, 4)[EDGES][0, 1:-1], expected, atol=0.05)


@pytest.mark.parametrize(("bins", "features", "rows"), [(32, 1, 10**7), (32, 700, 10), (8, 3, 100), (32, 500, 10**4), (8, 10**4, 50)])  # fmt: skip
def test_ladders_stay_within_width_and_memory(bins, features, rows):
    found = num_bins(bins, features, rows)
    assert 0 <= found <= bins
    assert found * features <= MOST_WIDTH
    assert found * features * rows <= MOST_CELLS


def test_a_network_with_ladders_learns_a_comb():
    x = np.random.default_rng(0).uniform(size=(800, 1))
    y = np.floor(8 * x[:, 0]) % 2
    errors = []
    for bins in (0, 16):
        model = fit_network(x, y, 0, NetworkSettings(bins=bins, lr=0.01, dropout=0.0), 0)
        errors.append(float(np.sqrt(((predict(model, x) - y) ** 2).mean())))
    assert errors[1] < 0.5 * errors[0]


@pytest.mark.parametrize("wrong", [
    {EDGES: np.array([[1.0, 0.0], [0.0, 1.0]])},
    {EDGES: np.zeros((3, 4))},
    {EDGES: np.zeros(4)},
    {FEATURE: np.array([0.0, 1.0])},
    {FEATURE: np.array([-1, 1])},
])  # fmt: skip
def test_strange_edges_are_refused(wrong):
    own = {FEATURE: np.array([1, 3]), EDGES: np.array([[0.0, 1.0], [0.0, 1.0]])}
    check_ladders(own)
    with pytest.raises(InvalidValue, match="edges of bins must rise, a row for each feature"):
        check_ladders(own | wrong)
    with pytest.raises(InvalidValue, match="edges of bins must rise"):
        check_ladders({EDGES: own[EDGES]})


def test_features_that_there_are_not_are_refused():
    X = make_table()
    model = fit_network(X, X[:, 1], 0, NetworkSettings(steps=10), 0)
    model.arrays[FEATURE][:] = 4
    facts, _ = model.store()
    again = Fitted.restore(facts, tensors_from(model.arrays))
    with pytest.raises(InvalidValue, match="features of a model must be among 4, got 5"):
        rehearse(again, X)
