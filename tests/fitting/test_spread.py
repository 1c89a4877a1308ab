"""How far a model errs, learned: it follows the noise, is stored whole, and folders that lie are refused."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.fitting.spread import FEATURES, PREDICTION, Spread, learn_trees


@pytest.fixture(scope="module")
def errors():
    rng = np.random.default_rng(0)
    X = rng.random((2000, 2))
    output = rng.random(2000)
    error = np.abs(rng.normal(size=2000)) * (1 + 4 * (X[:, 0] > 0.5)) * (1 + output)
    return X, output, error


def test_it_follows_the_noise(errors):
    X, output, error = errors
    spread = Spread(learn_trees(FEATURES, error, output, X), FEATURES, 1.0, 1e-6)
    mean = np.sqrt(2 / np.pi)  # of the absolute value of a normal number
    for low, high in ((0.1, 0.4), (0.6, 0.9)):
        for said in (0.1, 0.9):
            x = np.column_stack([np.linspace(low, high, 9), np.full(9, 0.5)])
            expected = mean * (1 + 4 * (low > 0.5)) * (1 + said)
            assert spread(np.full(9, said), x).mean() == pytest.approx(expected, rel=0.25)


def test_half_a_power_is_the_root_and_nothing_is_below_the_floor(errors):
    X, output, error = errors
    trees = learn_trees(PREDICTION, error, output, None)
    whole, half = (Spread(trees, PREDICTION, power, 1e-9)(output, X) for power in (1.0, 0.5))
    np.testing.assert_allclose(half**2, whole)
    assert Spread(trees, PREDICTION, 1.0, 50.0)(output, X).min() == 50.0


def test_units_of_the_target_are_its_units(errors):
    X, output, error = errors
    small, large = (Spread(learn_trees(FEATURES, s * error, output, X), FEATURES, 1.0, 1e-9)(output, X) for s in (1.0, 1e6))  # fmt: skip
    np.testing.assert_allclose(large, 1e6 * small, rtol=1e-9)


def test_a_row_that_weighs_two_counts_as_two_rows(errors):
    _, output, error = errors
    weight = np.ones(2000)
    weight[:700] = 2.0
    error = error * weight**2  # so that weights matter
    rows = np.concatenate([np.arange(2000), np.arange(700)])
    weighed = learn_trees(PREDICTION, error, output, None, weight)
    doubled = learn_trees(PREDICTION, error[rows], output[rows], None)
    for trees in (weighed, doubled):
        assert trees.settings["is_log"]
    said = np.linspace(0.05, 0.95, 19)
    a, b = (Spread(trees, PREDICTION, 1.0, 1e-9)(said, None) for trees in (weighed, doubled))
    np.testing.assert_allclose(a, b, rtol=0.12)
    even = Spread(learn_trees(PREDICTION, error, output, None), PREDICTION, 1.0, 1e-9)(said, None)
    assert (a / even).mean() > 1.1


def test_it_is_stored_whole(errors):
    X, output, error = errors
    spread = Spread(learn_trees(FEATURES, error, output, X), FEATURES, 0.5, 0.1)
    again = Spread.restore(*spread.store(), 2)
    np.testing.assert_array_equal(again(output, X), spread(output, X))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"power": 7.0}, "must have a power and a positive floor"),
        ({"floor": 0.0}, "must have a power and a positive floor"),
        ({"floor": float("inf")}, "must have a power and a positive floor"),
        ({"reads": "minds"}, "reads must be one of"),
    ],
)
def test_strange_facts_are_refused(errors, change, message):
    X, output, error = errors
    facts, tensors = Spread(learn_trees(FEATURES, error, output, X), FEATURES, 1.0, 0.1).store()
    with pytest.raises(InvalidValue, match=message):
        Spread.restore(facts | change, tensors, 2)


def test_trees_that_ask_for_what_there_is_not_or_say_nothing_are_refused(errors):
    X, output, error = errors
    facts, tensors = Spread(learn_trees(FEATURES, error, output, X), FEATURES, 1.0, 0.1).store()
    with pytest.raises(InvalidValue, match="features of a model must be among 1"):
        Spread.restore(facts, tensors, 0)
    broken = tensors | {"value": tensors["value"] * float("nan")}
    with pytest.raises(InvalidValue, match="must be trees of finite values"):
        Spread.restore(facts, broken, 2)
    for value, words in ((1e6, "must be finite"),):
        with pytest.raises(InvalidValue, match=words):
            Spread.restore(facts, tensors | {"start": tensors["start"] + value}, 2)
