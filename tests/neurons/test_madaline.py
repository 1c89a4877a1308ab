"""MADALINE Rule I: an epoch worked by hand, XOR, the vote, and the least disturbance."""

from itertools import product

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.neurons import Madaline, rule_one_pass

CORNERS = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
XOR = np.array([-1, 1, 1, -1])


def test_one_epoch_of_xor_by_hand():
    # lr 0.5, OR of two units, weights (w1, w2, b): each line is one sample of the epoch.
    weights = np.array([[0.05, 0.2, 0.3], [0.1, 0.2, 0.15]])
    inputs = np.column_stack([CORNERS, np.ones(4)])
    expected = [
        [[-0.725, -0.575, -0.475], [-0.625, -0.525, -0.575]],  # a = 0.55, 0.45: both must stop
        [[0.0875, -1.3875, 0.3375], [-0.625, -0.525, -0.575]],  # a = -0.625, -0.675: the nearer one
        [[0.0875, -1.3875, 0.3375], [-1.3625, 0.2125, 0.1625]],  # a = -1.1375, -0.475: the other
        [[1.40625, -0.06875, -0.98125], [-0.20625, 1.36875, -0.99375]],  # a = 1.6375, 1.3125: both
    ]
    for k in range(4):
        assert rule_one_pass(weights, inputs[k : k + 1], XOR[k : k + 1], lr=0.5, quorum=1) == 1
        np.testing.assert_allclose(weights, expected[k], atol=1e-12)


@pytest.mark.parametrize(("logic", "units"), [("or", 2), ("and", 2), ("majority", 3)])
@pytest.mark.parametrize("seed", range(5))
def test_xor_is_solved(logic, units, seed):
    model = Madaline(num_units=units, logic=logic, seed=seed).fit(CORNERS, XOR)
    assert model.converged_
    assert model.errors_[-1] == 0
    assert model.predict(CORNERS).tolist() == XOR.tolist()


def test_two_units_cannot_compute_parity_of_three():
    X = np.array(list(product([-1.0, 1.0], repeat=3)))
    y = (X > 0).sum(axis=1) % 2
    model = Madaline(num_units=2, max_epochs=20).fit(X, y)
    assert not model.converged_
    assert model.n_starts_ == model.restarts
    assert model.score(X, y) < 1.0


@pytest.mark.parametrize(("logic", "quorum"), [("or", 1), ("majority", 3), ("and", 5)])
def test_the_vote(logic, quorum):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    y = rng.integers(0, 2, size=40)
    model = Madaline(num_units=5, logic=logic, max_epochs=2, restarts=1).fit(X, y)
    fires = (X @ model.coef_.T + model.intercept_ > 0).sum(axis=1)
    assert model.predict(X).tolist() == (fires >= quorum).astype(int).tolist()


def test_only_as_many_units_as_needed_change():
    weights = np.array([[0.1], [0.5], [0.9], [-0.2]])
    before = weights.copy()
    # three of four fire, the quorum of two must be missed: two units stop, those nearest zero
    assert rule_one_pass(weights, np.ones((1, 1)), np.array([-1]), lr=1.0, quorum=2) == 1
    assert (weights != before).ravel().tolist() == [True, True, False, False]
    np.testing.assert_allclose(weights[:2], -1.0)
    # now one fires; two are needed: the unit nearest zero joins
    assert rule_one_pass(weights, np.ones((1, 1)), np.array([1]), lr=1.0, quorum=2) == 1
    np.testing.assert_allclose(weights.ravel(), [-1.0, -1.0, 0.9, 1.0])


def test_bad_input_is_refused():
    with pytest.raises(InvalidValue, match=r"Madaline: logic must be one of .*got 'xor'"):
        Madaline(logic="xor").fit(CORNERS, XOR)
    with pytest.raises(
        InvalidValue, match="num_units and restarts must be at least 1, got 0 and 5"
    ):
        Madaline(num_units=0).fit(CORNERS, XOR)
