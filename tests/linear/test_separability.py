"""Separating hyperplanes and certificates, against a support vector machine and worked geometry."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.svm import SVC

from gradatim.errors import InvalidValue
from gradatim.linear.separability import (
    halfspace,
    in_version_space,
    maximal_margin,
    separate,
    signed_distance,
)

CORNERS = np.array(list(product([0, 1], repeat=2)), dtype=float)
NAMED = {
    "and": (0, 0, 0, 1),
    "or": (0, 1, 1, 1),
    "nand": (1, 1, 1, 0),
    "nor": (1, 0, 0, 0),
    "xor": (0, 1, 1, 0),
    "xnor": (1, 0, 0, 1),
}


def check_certificate(X, y, found):
    """The convex combinations of both classes meet: recomputed from the definition."""
    low, high = (found.coefficients[y == c] for c in found.classes)
    assert (found.coefficients >= 0).all()
    assert low.sum() == pytest.approx(1)
    assert high.sum() == pytest.approx(1)
    left = low @ X[y == found.classes[0]]
    right = high @ X[y == found.classes[1]]
    scale = np.abs(X).max() + 1
    np.testing.assert_allclose(left, right, atol=1e-9 * scale)
    np.testing.assert_allclose(found.shared_point, left, atol=1e-9 * scale)
    assert found.residual == pytest.approx(np.linalg.norm(left - right), abs=1e-12 * scale)


@pytest.mark.parametrize("name", NAMED)
def test_separability_of_the_named_gates(name):
    assert separate(CORNERS, NAMED[name]).separable is (name not in ("xor", "xnor"))


def test_fourteen_of_the_sixteen_functions_of_two_inputs_are_separable():
    functions = [f for f in product([0, 1], repeat=4) if len(set(f)) == 2]
    constant = 2  # any hyperplane far away makes them
    assert constant + sum(separate(CORNERS, f).separable for f in functions) == 14


@pytest.mark.parametrize(("name", "margin"), [("and", 0.5 / 2**0.5), ("or", 0.5 / 2**0.5)])
def test_maximal_margin_of_gates(name, margin):
    found = separate(CORNERS, NAMED[name])
    assert found.margin == pytest.approx(margin, abs=1e-12)
    np.testing.assert_allclose(found.weights, np.ones(2) / 2**0.5, atol=1e-12)


def test_two_points_are_separated_halfway():
    found = separate([[1.0, 5.0], [4.0, 9.0]], ["a", "b"])
    assert found.classes == ("a", "b")
    assert found.margin == pytest.approx(2.5)
    np.testing.assert_allclose(found.weights, [0.6, 0.8])
    np.testing.assert_allclose(found.weights @ [2.5, 7.0] + found.bias, 0.0, atol=1e-12)


def test_xor_shares_its_centre():
    y = np.array(NAMED["xor"])
    found = separate(CORNERS, y)
    check_certificate(CORNERS, y, found)
    np.testing.assert_allclose(found.shared_point, [0.5, 0.5])
    assert (found.weights, found.bias, found.margin) == (None, None, 0.0)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 25), st.integers(1, 4), st.floats(0.01, 100.0))
def test_answer_is_verified_either_way(seed, n, d, scale):
    rng = np.random.default_rng(seed)
    X = scale * (rng.integers(-3, 4, size=(n, d)) + rng.integers(-9, 9, size=d))
    y = rng.integers(0, 2, size=n)
    y[:2] = [0, 1]
    found = separate(X, y)
    if not found.separable:
        check_certificate(X, y, found)
        return
    distances = (X @ found.weights + found.bias) * np.where(y == 1, 1, -1)
    assert np.linalg.norm(found.weights) == pytest.approx(1)
    assert distances.min() == pytest.approx(found.margin)
    assert found.margin > 0
    # Optimal: the gap between the hulls is an upper bound for every hyperplane, and it is attained.
    high, low = X[y == 1], X[y == 0]
    nearest = min(np.linalg.norm(a - b) for a in high for b in low)
    assert 2 * found.margin <= nearest * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_margin_agrees_with_a_hard_support_vector_machine(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3)) + 5
    w = rng.normal(size=3)
    y = (X - 5) @ w > 0.3
    X = X + np.where(y, 0.2, -0.2)[:, None] * w
    machine = SVC(kernel="linear", C=1e8, tol=1e-8).fit(X, y)
    found = separate(X, y)
    assert found.margin == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-4)
    cosine = found.weights @ machine.coef_[0] / np.linalg.norm(machine.coef_)
    assert cosine == pytest.approx(1, abs=1e-4)


def test_homogeneous_margin_agrees_with_a_general_solver():
    rng = np.random.default_rng(3)
    w = np.array([1.0, -2.0, 0.5])
    X = rng.normal(size=(20, 3))
    y = np.where(X @ w > 0, 1, -1)
    rows = y[:, None] * X
    solved = minimize(
        lambda v: v @ v,
        x0=w / (rows @ w).min(),
        jac=lambda v: 2 * v,
        constraints={"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    expected = 1 / np.linalg.norm(solved.x)
    assert separate(X, y, fit_intercept=False).margin == pytest.approx(expected, rel=1e-5)
    assert maximal_margin(rows)[1] == pytest.approx(expected, rel=1e-5)


def test_homogeneous_certificate_puts_the_origin_into_the_hull():
    X, y = np.array([[1.0, 0.0], [2.0, 0.0]]), np.array([0, 1])
    assert separate(X, y).separable
    found = separate(X, y, fit_intercept=False)
    assert not found.separable
    np.testing.assert_allclose((found.coefficients * [-1, 1]) @ X, 0.0, atol=1e-12)
    assert found.coefficients.sum() == pytest.approx(1)
    np.testing.assert_array_equal(found.shared_point, [0.0, 0.0])


def test_margin_is_unmoved_by_translation_and_scales_with_the_data():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 8])
    y = np.repeat([0, 1], 30)
    margin = separate(X, y).margin
    assert separate(X + 1e4, y).margin == pytest.approx(margin, rel=1e-6)
    assert separate(1e-3 * X, y).margin == pytest.approx(1e-3 * margin)


def test_thin_margins_are_found():
    X = np.array([[0.0, 0.0], [1.0, 1e-6], [0.0, 1e-6], [1.0, 2e-6]])
    found = separate(X, [0, 0, 1, 1])
    assert found.separable
    assert found.margin == pytest.approx(5e-7, rel=1e-5)


def test_signed_distance_of_the_origin_from_gates_and_a_shifted_line():
    assert abs(signed_distance([0, 0], [1, 1], -0.5)) == pytest.approx(0.354, abs=5e-4)  # OR
    assert abs(signed_distance([0, 0], [1, 1], -1.5)) == pytest.approx(1.061, abs=5e-4)  # AND
    assert signed_distance([0, 0], [1, 1], -1.2) == pytest.approx(-0.8485, abs=5e-5)
    on_the_line = [[0.0, 1.2], [1.2, 0.0], [3.0, -1.8]]  # x2 = -x1 + 1.2
    np.testing.assert_allclose(signed_distance(on_the_line, [1, 1], -1.2), 0.0, atol=1e-15)
    assert signed_distance([5, 5], [1, 1], -1.2) > 0  # the normal points to class 1


def test_version_space_only_shrinks_and_holds_the_widest_normal():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(12, 2))
    y = np.where(X @ [1.0, 0.4] > 0, 1, -1)
    order = np.concatenate([[y.argmin()], np.delete(np.arange(12), y.argmin())])
    X, y = X[order], y[order]
    candidates = rng.normal(size=(2000, 2))
    start = int((y == 1).argmax()) + 1
    inside = np.array([in_version_space(X[:k], y[:k], candidates) for k in range(start, 13)])
    assert (inside[1:] <= inside[:-1]).all()
    assert inside[-1].any()
    assert in_version_space(X, y, separate(X, y, fit_intercept=False).weights)


def test_halfspace_or_none():
    rows = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert (rows @ halfspace(rows) >= 1 - 1e-9).all()
    assert halfspace(np.array([[1.0], [-1.0]])) is None


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0]], [1, 1], "separate: y must hold two distinct labels, got 1."),
        ([[0.0], [1.0]], [1], r"separate: X and y must have shapes \(n, d\) and \(n,\)"),
        ([[0.0], [np.nan]], [0, 1], "separate: X must be finite"),
    ],
)
def test_bad_input_is_refused(X, y, message):
    with pytest.raises(InvalidValue, match=message):
        separate(X, y)


def test_zero_normal_is_refused():
    with pytest.raises(InvalidValue, match="signed_distance: weights must not all be zero"):
        signed_distance([0.0, 1.0], [0.0, 0.0])
