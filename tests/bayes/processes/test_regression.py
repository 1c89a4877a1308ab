import numpy as np
import pytest
import torch
from scipy.stats import multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor as Theirs
from sklearn.gaussian_process import kernels as sk
from sklearn.utils.estimator_checks import parametrize_with_checks

from gradatim.bayes import (
    RBF,
    GaussianProcessRegressor,
    Linear,
    Matern,
    SparseGaussianProcessRegressor,
    White,
)
from gradatim.bayes.processes.cholesky import safe_cholesky
from gradatim.errors import InvalidValue


def data(count=40, seed=0, noise=0.1):
    draw = np.random.default_rng(seed)
    X = draw.uniform(-3, 3, (count, 2))
    return X, np.sin(X[:, 0]) + noise * draw.normal(size=count)


@parametrize_with_checks([GaussianProcessRegressor(restarts=0)])
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def test_fixed_parameters_give_the_textbook():
    X, y = data()
    new = data(7, 1)[0]
    ours = GaussianProcessRegressor(RBF(length=(1.0, 2.0)), noise=0.01, optimize=False).fit(X, y)
    K, k = sk.RBF([1.0, 2.0])(X), sk.RBF([1.0, 2.0])(new, X)
    S = K + 0.01 * np.eye(len(X))
    mean, std = ours.predict(new, return_std=True)
    np.testing.assert_allclose(mean, k @ np.linalg.solve(S, y), rtol=1e-8)
    np.testing.assert_allclose(std**2, 1 - np.sum(k * np.linalg.solve(S, k.T).T, 1), rtol=1e-6)
    expected = multivariate_normal(np.zeros(len(X)), S).logpdf(y)
    assert ours.log_marginal_likelihood_ == pytest.approx(expected)


@pytest.mark.parametrize("normalize_y", [False, True])
def test_it_finds_what_scikit_learn_finds(normalize_y):
    X, y = data(60)
    y = y + 3.0 * normalize_y
    ours = GaussianProcessRegressor(restarts=2, normalize_y=normalize_y).fit(X, y)
    kernel = sk.ConstantKernel() * sk.RBF([1.0, 1.0]) + sk.WhiteKernel()
    theirs = Theirs(kernel, n_restarts_optimizer=2, random_state=0, normalize_y=normalize_y)
    with np.errstate(all="ignore"):
        theirs.set_params(kernel__k1__k2__length_scale_bounds=(1e-5, 1e9)).fit(X, y)
    # scikit-learn does not count the change of units
    shift = len(y) * np.log(y.std()) if normalize_y else 0.0
    assert ours.log_marginal_likelihood_ + shift == pytest.approx(theirs.log_marginal_likelihood_value_, abs=1e-3)  # fmt: skip
    new = data(9, 2)[0]
    np.testing.assert_allclose(ours.predict(new), theirs.predict(new), atol=1e-3)


def test_leaving_one_out_is_fitting_without_it():
    X, y = data(12)
    kernel = Matern(1.5, length=1.2)
    ours = GaussianProcessRegressor(kernel, noise=0.05, optimize=False, normalize_y=False).fit(X, y)
    found = ours.leave_one_out()
    for i in range(12):
        rest = np.arange(12) != i
        again = GaussianProcessRegressor(kernel, noise=0.05, optimize=False).fit(X[rest], y[rest])
        mean, std = again.predict(X[i : i + 1], return_std=True)
        assert found.means[i] == pytest.approx(mean[0])
        assert found.variances[i] == pytest.approx(std[0] ** 2 + 0.05)


def test_draws_have_the_moments_of_the_posterior():
    X, y = data(10)
    ours = GaussianProcessRegressor(RBF(), noise=0.1, optimize=False).fit(X, y)
    new = data(5, 1)[0]
    draws = ours.sample_y(new, 20_000, seed=1)
    mean, std = ours.predict(new, return_std=True)
    assert (np.abs(draws.mean(1) - mean) < 4 * std / np.sqrt(20_000)).all()
    np.testing.assert_allclose(draws.std(1), std, rtol=0.05)
    assert (ours.sample_y(new, 3, seed=1) == ours.sample_y(new, 3, seed=1)).all()


def test_a_linear_kernel_is_bayesian_linear_regression():
    """The posterior of w ~ N(0, vI) has mean (XᵀX + (σ²/v)I)⁻¹Xᵀy."""
    X, y = data(30)
    ours = GaussianProcessRegressor(Linear(variance=2.0), noise=0.5, optimize=False).fit(X, y)
    w = np.linalg.solve(X.T @ X + 0.25 * np.eye(2), X.T @ y)
    np.testing.assert_allclose(ours.predict(X), X @ w)


def test_noise_is_found():
    X, y = data(300, noise=0.3)
    assert GaussianProcessRegressor(restarts=0).fit(X, y).noise_ == pytest.approx(0.09, rel=0.3)


def test_repeated_rows_without_noise_get_jitter_and_a_word():
    X, y = data(10)
    X[1] = X[0]
    with pytest.warns(
        UserWarning, match=r"added .* to the variances, since rows repeat .* give noise"
    ):
        ours = GaussianProcessRegressor(RBF(), noise=0.0, optimize=False).fit(X, y)
    assert 0 < ours.jitter_ < 1e-3
    assert GaussianProcessRegressor(RBF(), noise=0.1, optimize=False).fit(X, y).jitter_ == 0


@pytest.mark.parametrize("normalize_y", [False, True])
def test_a_constant_target_is_learned(normalize_y):
    X, _ = data(20)
    ours = GaussianProcessRegressor(normalize_y=normalize_y, restarts=0).fit(X, np.full(20, 5.0))
    assert ours.predict(X) == pytest.approx(np.full(20, 5.0), abs=0.1)
    zero = GaussianProcessRegressor(restarts=0).fit(X, np.zeros(20))
    assert zero.predict(X) == pytest.approx(np.zeros(20), abs=1e-6)


def test_a_constant_column_is_harmless():
    X, y = data(30)
    X = np.column_stack([X, np.ones(30)])
    assert GaussianProcessRegressor(restarts=0).fit(X, y).score(X, y) > 0.9


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"noise": -1.0}, "noise must be a variance, at least 0, got -1.0. Try noise=0.01"),
        ({"max_steps": 0}, "max_steps must be a whole number from 1, got 0"),
        ({"restarts": -1}, "restarts must be at least 0, got -1"),
        ({"kernel": "rbf"}, r"kernel must be a kernel such as RBF\(\), got 'rbf'"),
        ({"kernel": RBF(length=(1.0, 2.0, 3.0))}, "length must be one number or one for each of 2 columns, got 3"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)  # fmt: skip
def test_what_is_refused(change, words):
    with pytest.raises(InvalidValue, match=words):
        GaussianProcessRegressor(**change).fit(*data())


def test_a_function_that_is_no_covariance_is_said():
    class Wrong(Linear):
        def _covariances(self, x1, x2=None):
            return -super()._covariances(x1, x2)

    with pytest.raises(
        InvalidValue, match=r"kernel must be positive semidefinite, got one with eigenvalue -"
    ):
        GaussianProcessRegressor(Wrong(), noise=0.0, optimize=False).fit(*data())


def test_white_and_noise_are_the_same():
    X, y = data(30)
    one = GaussianProcessRegressor(RBF() + White(variance=0.1), noise=0.0, optimize=False).fit(X, y)
    two = GaussianProcessRegressor(RBF(), noise=0.1, optimize=False).fit(X, y)
    assert one.log_marginal_likelihood_ == pytest.approx(two.log_marginal_likelihood_)
    np.testing.assert_allclose(one.predict(X + 0.1), two.predict(X + 0.1))


def test_steps_are_limited():
    X, y = data(60)
    found = [GaussianProcessRegressor(restarts=0, max_steps=n).fit(X, y).log_marginal_likelihood_ for n in (1, 3, 200)]  # fmt: skip
    assert found[0] < found[1] < found[2]


@pytest.mark.parametrize("kind", [GaussianProcessRegressor, SparseGaussianProcessRegressor])
def test_one_row_is_learned_and_known_only_there(kind):
    process = kind().fit([[1.0, 2.0]], [3.0])
    mean, std = process.predict([[1.0, 2.0], [90.0, -90.0]], return_std=True)
    assert 0 < mean[0] <= 3.0 + 1e-9
    assert abs(mean[1]) < 1e-6
    assert std[0] < std[1]


def test_rows_that_repeat_need_no_jitter_where_noise_is_learned():
    X, y = data(30)
    X[10:20] = X[0]
    assert GaussianProcessRegressor(restarts=0).fit(X, y).jitter_ == 0


def test_a_factor_leaves_its_matrix_as_it_is():
    K = torch.tensor([[1.0, 1.0], [1.0, 1.0]]).double()  # needs jitter
    factor, jitter = safe_cholesky("test", K)
    torch.testing.assert_close(K, torch.ones(2, 2).double(), rtol=0, atol=0)
    torch.testing.assert_close(factor @ factor.T, K + jitter * torch.eye(2))
    factor, jitter = safe_cholesky("test", K, noise=0.5)
    torch.testing.assert_close(factor @ factor.T, K + 0.5 * torch.eye(2))
    assert jitter == 0
