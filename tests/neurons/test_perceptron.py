"""The perceptron: Novikoff's bound, the span of the data, a textbook loop, scikit-learn's own checks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

from gradatim.errors import InvalidValue
from gradatim.linear.separability import separate
from gradatim.neurons import Perceptron

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = [0, 1, 1, 0]


def separable_data(seed, n, d, gap):
    rng = np.random.default_rng(seed)
    normal = rng.normal(size=d)
    normal /= np.linalg.norm(normal)
    X = rng.normal(size=(n, d))
    side = np.where(X @ normal + 0.3 * rng.normal() > 0, 1, -1)
    side[:2] = [1, -1]
    # each point goes at least `gap` to its side of the hyperplane
    X += np.outer(side * gap + np.where(side * (X @ normal) < 0, -(X @ normal), 0.0), normal)
    return X, side


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 10**6),
    st.integers(2, 60),
    st.integers(1, 6),
    st.floats(0.02, 1.0),
    st.booleans(),
    st.booleans(),
)
def test_mistakes_never_exceed_novikoffs_bound(seed, n, d, gap, fit_intercept, shuffle):
    X, y = separable_data(seed, n, d, gap)
    model = Perceptron(max_epochs=100_000, fit_intercept=fit_intercept, shuffle=shuffle, seed=seed)
    model.fit(X, y)
    assert model.converged_
    assert model.score(X, y) == 1.0
    rows = np.column_stack([X, np.ones(n)]) if fit_intercept else X
    assert model.radius_ == pytest.approx(max(np.linalg.norm(row) for row in rows))
    margin = separate(rows, y, fit_intercept=False).margin
    assert model.margin_ == pytest.approx(margin, rel=1e-6)
    assert model.margin_ >= gap * (1 - 1e-9)  # the hyperplane the data was made with attains it
    assert model.novikoff_bound_ == pytest.approx((model.radius_ / model.margin_) ** 2)
    assert model.mistakes_ <= model.novikoff_bound_ * (1 + 1e-9)
    assert model.mistakes_ == len(model.mistake_log_) == len(model.weights_path_) - 1


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 30), st.integers(1, 4))
def test_batch_mistakes_stay_below_n_times_the_bound(seed, n, d):
    X, y = separable_data(seed, n, d, gap=0.2)
    model = Perceptron(mode="batch", max_epochs=100_000).fit(X, y)
    assert model.converged_
    assert model.novikoff_bound_ == pytest.approx(n * (model.radius_ / model.margin_) ** 2)
    assert model.mistakes_ <= model.novikoff_bound_


@pytest.mark.parametrize("mode", ["stochastic", "batch"])
def test_iterates_stay_in_the_span_of_the_data(mode):
    rng = np.random.default_rng(0)
    basis = rng.normal(size=(2, 6))
    X = rng.normal(size=(40, 2)) @ basis  # a plane in six dimensions
    y = X @ basis[0] > 0.1
    path = Perceptron(mode=mode, fit_intercept=False, max_epochs=50).fit(X, y).weights_path_
    outside = path - path @ np.linalg.pinv(X) @ X
    assert len(path) > 3
    np.testing.assert_allclose(outside, 0.0, atol=1e-9)


@pytest.mark.parametrize("y", [[0, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 0], [1, 0, 0, 0]])
def test_textbook_loop(y):
    w, b, updates, mistake = np.zeros(2), 0.0, [], True
    signs = [2 * label - 1 for label in y]
    while mistake:
        mistake = False
        for i, (x, t) in enumerate(zip(CORNERS, signs, strict=True)):
            if np.sign(w @ x + b) != t:
                w, b, mistake = w + t * x, b + t, True
                updates.append((i, *w, b))
    model = Perceptron().fit(CORNERS, y)
    assert model.mistake_log_[:, 1].tolist() == [u[0] for u in updates]
    assert model.weights_path_[1:].tolist() == [list(u[1:]) for u in updates]
    assert model.coef_[0].tolist() == w.tolist()
    assert model.intercept_[0] == b


def test_each_update_raises_the_margin_of_its_sample():
    X, y = separable_data(3, 30, 4, gap=0.1)
    lr = 0.5
    model = Perceptron(lr=lr).fit(X, y)
    for (_, i), before, after in zip(
        model.mistake_log_, model.weights_path_[:-1], model.weights_path_[1:], strict=True
    ):
        x = np.append(X[i], 1.0)
        rise = y[i] * (after - before) @ x
        assert rise == pytest.approx(lr * (X[i] @ X[i] + 1))


def test_batch_step_is_the_gradient_step_of_the_perceptron_loss():
    X, y = separable_data(5, 20, 3, gap=0.1)
    path = Perceptron(mode="batch", lr=0.25).fit(X, y).weights_path_
    before, after = path[1], path[2]
    wrong = [i for i in range(20) if y[i] * (X[i] @ before[:3] + before[3]) <= 0]
    np.testing.assert_allclose(after[:3], before[:3] + 0.25 * sum(y[i] * X[i] for i in wrong))
    assert after[3] == pytest.approx(before[3] + 0.25 * sum(y[i] for i in wrong))


def test_step_only_scales():
    X, y = separable_data(1, 40, 3, gap=0.1)
    one, four = Perceptron(lr=1.0).fit(X, y), Perceptron(lr=4.0).fit(X, y)
    np.testing.assert_array_equal(4 * one.weights_path_, four.weights_path_)


@pytest.mark.parametrize("y", [XOR, [1, 0, 0, 1]])
@pytest.mark.parametrize("mode", ["stochastic", "batch"])
def test_xor_never_converges(y, mode):
    model = Perceptron(mode=mode, max_epochs=200).fit(CORNERS, y)
    assert not model.converged_
    assert model.n_iter_ == 200
    assert (model.margin_, model.novikoff_bound_) == (0.0, float("inf"))
    assert model.score(CORNERS, y) <= 0.75


def test_capped_run_on_separable_data_still_knows_its_bound():
    X, y = separable_data(2, 60, 2, gap=0.01)
    model = Perceptron(max_epochs=1).fit(X, y)
    assert not model.converged_
    assert np.isfinite(model.novikoff_bound_)


def test_without_recording_the_result_is_the_same():
    X, y = separable_data(8, 50, 3, gap=0.1)
    plain = Perceptron(record=False).fit(X, y)
    np.testing.assert_array_equal(plain.coef_, Perceptron().fit(X, y).coef_)
    assert not hasattr(plain, "weights_path_")
    assert not hasattr(plain, "margin_")


def test_passes_of_partial_fit_equal_one_fit():
    X, y = separable_data(4, 50, 3, gap=0.05)
    whole = Perceptron().fit(X, y)
    parts = Perceptron()
    for _ in range(whole.n_iter_):
        parts.partial_fit(X, y, classes=[-1, 1])
    np.testing.assert_array_equal(parts.coef_, whole.coef_)
    np.testing.assert_array_equal(parts.mistake_log_, whole.mistake_log_)
    assert parts.converged_


def test_partial_fit_may_see_one_class_at_a_time():
    model = Perceptron()
    for _ in range(3):
        model.partial_fit([[1.0]], ["b"], classes=["a", "b"]).partial_fit([[-1.0]], ["a"])
    assert model.predict([[2.0], [-2.0]]).tolist() == ["b", "a"]
    with pytest.raises(
        InvalidValue, match=r"y must hold the classes \['a', 'b'\], got also \['c'\]"
    ):
        model.partial_fit([[1.0]], ["c"])


def test_shuffling_is_reproducible():
    X, y = separable_data(6, 80, 3, gap=0.02)
    runs = [Perceptron(shuffle=True, seed=seed).fit(X, y).mistake_log_ for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert runs[0].tolist() != runs[2].tolist()


def test_unknown_mode_is_refused():
    with pytest.raises(
        InvalidValue, match="Perceptron: mode must be one of batch, stochastic, got 'bach'"
    ):
        Perceptron(mode="bach").fit(CORNERS, XOR)


@parametrize_with_checks([Perceptron(max_epochs=100), Perceptron(mode="batch", record=False)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)
