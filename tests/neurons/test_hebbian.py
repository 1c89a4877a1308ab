"""Hebb's rule by worked numbers, and its failure on targets 0 and 1."""

import numpy as np
import pytest

from gradatim.errors import InvalidValue
from gradatim.neurons import Perceptron, hebbian_learning

CORNERS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
OR, AND = [0, 1, 1, 1], [0, 0, 0, 1]


def test_worked_example_or():
    run = hebbian_learning(CORNERS, OR, lr=0.1, fit_intercept=False, max_epochs=1)
    np.testing.assert_allclose(run.weights, [0.1, 0.1])
    assert run.bias == 0.0
    more = hebbian_learning(CORNERS, OR, lr=0.1, fit_intercept=False)
    assert more.solved
    assert more.errors == [0]  # a second epoch would change nothing
    np.testing.assert_allclose(more.path, [[0, 0, 0], [0.1, 0.1, 0]])


def test_worked_example_sample_by_sample():
    weights = [
        hebbian_learning(CORNERS[:k], OR[:k], lr=0.1, fit_intercept=False, max_epochs=1).weights
        for k in (1, 2, 3, 4)
    ]
    np.testing.assert_allclose(weights, [[0, 0], [0, 0.1], [0.1, 0.1], [0.1, 0.1]])


def test_firing_at_zero_never_learns_or():
    run = hebbian_learning(CORNERS, OR, fit_intercept=False, strict=False, max_epochs=50)
    assert run.weights.tolist() == [0.0, 0.0]
    assert run.errors == [1] * 50  # (0, 0) always fires


def test_and_is_stuck_with_targets_zero_and_one():
    run = hebbian_learning(CORNERS, AND, lr=0.1, max_epochs=50)
    np.testing.assert_allclose([run.bias, *run.weights], [0.1, 0.1, 0.1])
    assert run.errors == [3] * 50
    assert not run.solved


def test_or_with_bias_is_stuck_with_targets_zero_and_one():
    run = hebbian_learning(CORNERS, OR, lr=0.1, max_epochs=50)
    np.testing.assert_allclose([run.bias, *run.weights], [0.1, 0.0, 0.1])
    assert run.errors == [1] * 50


@pytest.mark.parametrize("y", [OR, AND, [1, 1, 1, 0], [1, 0, 0, 0]])
def test_targets_plus_minus_one_solve_every_separable_gate(y):
    assert hebbian_learning(CORNERS, 2 * np.array(y) - 1, lr=1.0).solved


def test_gated_rule_with_signed_targets_is_the_perceptron():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    y = np.where(X @ [1.0, -1.0, 2.0] > 0.2, 1, -1)
    y[0] = 1  # the first sample is a mistake at zero weights under both tie rules
    model = Perceptron(max_epochs=30).fit(X, y)
    run = hebbian_learning(X, y, lr=1.0, max_epochs=30)
    np.testing.assert_allclose(run.weights, model.coef_[0])
    assert run.bias == pytest.approx(model.intercept_[0])


def test_pure_rule_is_the_sum_of_targets_times_inputs():
    rng = np.random.default_rng(1)
    X, t = rng.normal(size=(20, 4)), rng.choice([-1.0, 1.0], size=20)
    run = hebbian_learning(X, t, lr=0.5, gated=False, max_epochs=1)
    np.testing.assert_allclose(run.weights, 0.5 * sum(t[i] * X[i] for i in range(20)))
    assert run.bias == pytest.approx(0.5 * t.sum())


def test_pure_rule_on_gates():
    signed = 2 * CORNERS - 1
    assert hebbian_learning(
        signed, [-1, -1, -1, 1], gated=False, max_epochs=1
    ).solved  # AND, all ±1
    assert not hebbian_learning(CORNERS, AND, gated=False).solved  # zeros and ones: bias only grows


@pytest.mark.parametrize(
    ("X", "targets", "options", "message"),
    [
        (CORNERS, [0, 1, 2, 1], {}, r"targets must be 0 and 1 or -1 and 1, got \[0.0, 1.0, 2.0\]"),
        (CORNERS, [-1, 0, 1, 1], {}, "targets must be 0 and 1 or -1 and 1"),
        (CORNERS, [0, 1], {}, r"X and targets must have shapes \(n, d\) and \(n,\)"),
        (CORNERS, OR, {"lr": 0.0}, "lr and max_epochs must be positive, got 0.0 and 100"),
    ],
)
def test_bad_input_is_refused(X, targets, options, message):
    with pytest.raises(InvalidValue, match="hebbian_learning: " + message):
        hebbian_learning(X, targets, **options)
