import numpy as np
import pytest
import torch
from sklearn.gaussian_process import GaussianProcessClassifier as Theirs
from sklearn.gaussian_process import kernels as sk
from sklearn.utils.estimator_checks import parametrize_with_checks

from gradatim.bayes import RBF, GaussianProcessClassifier
from gradatim.bayes.processes.classification import find_mode, mode_gradient
from gradatim.errors import InvalidValue


def data(count=40, seed=0):
    X = np.random.default_rng(seed).normal(size=(count, 2))
    return X, (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int)


@parametrize_with_checks([GaussianProcessClassifier(restarts=0)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_fixed_parameters_give_what_scikit_learn_gives():
    X, y = data()
    ours = GaussianProcessClassifier(RBF(length=0.8, variance=2.0), optimize=False).fit(X, y)
    theirs = Theirs(2.0 * sk.RBF(0.8), optimizer=None).fit(X, y)
    assert ours.log_marginal_likelihood_ == pytest.approx(theirs.log_marginal_likelihood_value_)
    new = data(20, 1)[0]
    # scikit-learn averages by a fit of error functions, good to three digits
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), atol=3e-3)


def test_the_evidence_is_maximized():
    X, y = data()
    ours = GaussianProcessClassifier(RBF(), restarts=0).fit(X, y)
    theirs = Theirs(1.0 * sk.RBF(1.0), random_state=0).fit(X, y)
    assert ours.log_marginal_likelihood_ >= theirs.log_marginal_likelihood_value_ - 1e-3


def test_the_gradient_is_a_difference():
    X, y = map(torch.from_numpy, data())
    t = 2.0 * y.double() - 1
    kernel = RBF(length=(0.8, 1.4), variance=2.0)
    found = mode_gradient(kernel, X, find_mode(kernel(X), t))
    sides = [[find_mode(kernel.replace(kernel.theta + s * 1e-5 * axis)(X), t).evidence for s in (1, -1)] for axis in torch.eye(3).double()]  # fmt: skip
    expected = torch.stack([(high - low) / 2e-5 for high, low in sides])
    torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-5)


def test_far_from_all_data_nothing_is_known():
    X, y = data()
    ours = GaussianProcessClassifier(RBF(), optimize=False).fit(X, y)
    assert ours.predict_proba([[50.0, 50.0]])[0].tolist() == pytest.approx([0.5, 0.5])


def test_three_classes():
    draw = np.random.default_rng(0)
    X = np.concatenate([draw.normal(c, 0.5, (20, 2)) for c in ((0, 0), (3, 0), (0, 3))])
    y = np.repeat(["a", "b", "c"], 20)
    ours = GaussianProcessClassifier(restarts=0).fit(X, y)
    assert ours.score(X, y) == 1.0
    np.testing.assert_allclose(ours.predict_proba(X).sum(1), 1.0)
    assert len(ours.kernels_) == 3


def test_one_class_is_refused():
    with pytest.raises(InvalidValue, match="y must have at least two classes, got one class: 1"):
        GaussianProcessClassifier().fit(np.ones((3, 1)), [1, 1, 1])


def test_rows_that_repeat_with_both_classes_are_undecided():
    X = np.repeat([[0.0], [3.0]], 10, axis=0)
    y = np.array([0, 1] * 5 + [1] * 10)
    said = GaussianProcessClassifier(restarts=0).fit(X, y).predict_proba([[0.0], [3.0]])[:, 1]
    assert said[0] == pytest.approx(0.5, abs=0.15)
    assert said[1] > 0.7


def test_no_steps_are_refused():
    with pytest.raises(InvalidValue, match="max_steps must be a whole number from 1, got 0"):
        GaussianProcessClassifier(max_steps=0).fit(*data())
