import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from sklearn.utils.estimator_checks import parametrize_with_checks

from gradatim.bayes import RBF, GaussianProcessRegressor, Matern, SparseGaussianProcessRegressor
from gradatim.bayes.processes import sparse
from gradatim.bayes.processes.sparse import bound_and_gradient, choose_inducing
from gradatim.errors import InvalidValue


def data(count=60, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-3, 3, (count, 2))
    return X, np.sin(X[:, 0]) + 0.1 * draw.normal(size=count)


@parametrize_with_checks([SparseGaussianProcessRegressor(num_inducing=20)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_the_bound_is_titsias_formula():
    X, y = data()
    Z, kernel, noise = X[:8], RBF(length=(1.0, 2.0)), 0.05
    Kuu, Kuf = kernel(*map(torch.from_numpy, (Z, Z))).numpy(), kernel(*map(torch.from_numpy, (Z, X))).numpy()  # fmt: skip
    Q = Kuf.T @ np.linalg.solve(Kuu + sparse.JITTER * np.eye(8), Kuf)
    expected = multivariate_normal(np.zeros(60), Q + noise * np.eye(60)).logpdf(y)
    expected -= (60 - np.trace(Q)) / (2 * noise)
    found, _ = bound_and_gradient(kernel, torch.tensor(noise).double(), *map(torch.from_numpy, (Z, X, y)))  # fmt: skip
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("kernel", [RBF(length=(1.0, 2.0)), Matern(1.5) + RBF()])
def test_the_gradient_is_a_difference(kernel, monkeypatch):
    monkeypatch.setattr(sparse, "CHUNK", 17)
    X, y = map(torch.from_numpy, data())
    start = torch.cat([kernel.theta, torch.tensor([-2.0]).double()])

    def value(theta):
        return bound_and_gradient(kernel.replace(theta[:-1]), theta[-1].exp(), X[:8], X, y)

    found = value(start)[1]
    expected = [(value(start + 1e-5 * e)[0] - value(start - 1e-5 * e)[0]) / 2e-5 for e in torch.eye(len(start)).double()]  # fmt: skip
    assert found.tolist() == pytest.approx(expected, rel=1e-4, abs=1e-3)


def test_all_rows_as_inducing_points_are_the_exact_process():
    X, y = data(30)
    kernel = RBF(length=1.5)
    exact = GaussianProcessRegressor(kernel, noise=0.05, optimize=False).fit(X, y)
    ours = SparseGaussianProcessRegressor(kernel, noise=0.05, optimize=False, num_inducing=30).fit(X, y)  # fmt: skip
    new = data(10, 1)[0]
    for found, known in zip(ours.predict(new, return_std=True), exact.predict(new, return_std=True), strict=True):  # fmt: skip
        np.testing.assert_allclose(found, known, atol=1e-4)
    assert ours.bound_ == pytest.approx(exact.log_marginal_likelihood_, abs=1e-3)


def test_fewer_points_can_only_lower_the_bound():
    X, y = data(80)
    bounds = [SparseGaussianProcessRegressor(RBF(), noise=0.05, optimize=False, num_inducing=m).fit(X, y).bound_ for m in (5, 15, 40, 80)]  # fmt: skip
    assert bounds == sorted(bounds)


def test_it_learns_nearly_what_the_exact_process_learns():
    X, y = data(300)
    exact = GaussianProcessRegressor(restarts=0).fit(X, y)
    ours = SparseGaussianProcessRegressor(num_inducing=40).fit(X, y)
    assert ours.noise_ == pytest.approx(exact.noise_, rel=0.05)
    new = data(50, 1)[0]
    assert np.abs(ours.predict(new) - exact.predict(new)).max() < 0.05


def test_points_are_chosen_by_what_the_others_leave_open():
    """Each is the row of largest variance given those before it."""
    X = torch.from_numpy(data(25)[0])
    kernel = RBF(length=1.0)
    chosen = choose_inducing(kernel, X, 6)
    for k in range(1, 6):
        before = chosen[:k]
        between = kernel(X, before)
        left = 1 - (between * torch.linalg.solve(kernel(before), between.T).T).sum(1)
        torch.testing.assert_close(chosen[k], X[left.argmax()])


def test_repeated_rows_are_chosen_once():
    assert len(choose_inducing(RBF(), torch.zeros(9, 1).double(), 5)) == 1
    X, y = data(20)
    ours = SparseGaussianProcessRegressor().fit(np.repeat(X, 3, 0), np.repeat(y, 3))
    assert len(ours.inducing_) <= 20


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"num_inducing": 0}, "num_inducing must be a whole number from 1"),
        ({"noise": 0.0}, "noise must be a positive variance, got 0.0. Try noise=0.01"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(InvalidValue, match=words):
        SparseGaussianProcessRegressor(**change).fit(*data())
