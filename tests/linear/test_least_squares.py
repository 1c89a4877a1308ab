"""Least squares: the three methods, NumPy, scikit-learn and the laws of the solution agree."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression

from gradatim.errors import InvalidValue
from gradatim.linear import fit_least_squares, fit_minimum_norm

METHODS = ("qr", "normal", "descent")


def problem(n=40, d=4, outputs=None, seed=0):
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(n, d, generator=generator, dtype=torch.float64) + 1
    shape = (n,) if outputs is None else (n, outputs)
    return X, torch.randn(shape, generator=generator, dtype=torch.float64) + 5


@pytest.mark.parametrize("outputs", [None, 3])
@pytest.mark.parametrize("method", METHODS)
def test_methods_agree_with_scikit_learn(method, outputs):
    X, y = problem(outputs=outputs)
    fit = fit_least_squares(X, y, method=method)
    reference = LinearRegression().fit(X.numpy(), y.numpy())
    np.testing.assert_allclose(fit.weight.numpy(), reference.coef_.T, atol=1e-9)
    np.testing.assert_allclose(fit.bias.numpy(), reference.intercept_, atol=1e-9)
    np.testing.assert_allclose(fit.predict(X).numpy(), reference.predict(X.numpy()), atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_without_intercept(method):
    X, y = problem()
    expected = np.linalg.lstsq(X.numpy(), y.numpy(), rcond=None)[0]
    fit = fit_least_squares(X, y, method=method, fit_intercept=False)
    np.testing.assert_allclose(fit.weight.numpy(), expected, atol=1e-9)
    assert fit.bias == 0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000))
def test_residuals_are_orthogonal_to_the_inputs(seed):
    X, y = problem(seed=seed)
    residual = y - fit_least_squares(X, y).predict(X)
    assert (X.T @ residual).abs().max() < 1e-9
    assert residual.sum().abs() < 1e-9


def test_units_do_not_matter():
    X, y = problem()
    units = torch.tensor([1e-9, 1.0, 1e9, 1e3], dtype=torch.float64)
    for method in ("qr", "normal"):
        fit = fit_least_squares(X * units, y, method=method)
        torch.testing.assert_close(fit.weight * units, fit_least_squares(X, y).weight)


def test_qr_keeps_twice_the_digits_of_the_normal_equations():
    t = torch.linspace(0, 1, 50, dtype=torch.float64)
    X = t[:, None] ** torch.arange(8, dtype=torch.float64)
    truth = torch.ones(8, dtype=torch.float64)
    errors = {
        method: (
            fit_least_squares(X, X @ truth, method=method, fit_intercept=False).weight - truth
        ).norm()
        for method in ("qr", "normal")
    }
    assert errors["qr"] < 1e-8
    assert errors["normal"] > 10 * errors["qr"]


def test_minimum_norm_is_the_shortest_of_the_exact_solutions():
    X, y = problem(n=5, d=12)
    fit = fit_minimum_norm(X, y)
    torch.testing.assert_close(fit.predict(X), y)
    null = torch.linalg.svd(X).Vh[5:]  # directions that change no prediction
    assert (null @ fit.weight).abs().max() < 1e-10
    other = fit.weight + null.T @ torch.ones(7, dtype=torch.float64)
    torch.testing.assert_close(X @ other, y)
    assert other.norm() > fit.weight.norm()


def test_minimum_norm_equals_least_squares_where_that_is_unique():
    X, y = problem()
    torch.testing.assert_close(
        fit_minimum_norm(X, y, fit_intercept=True).weight, fit_least_squares(X, y).weight
    )


@pytest.mark.parametrize("method", ["qr", "normal"])
def test_dependent_columns_are_refused(method):
    X, y = problem()
    X = torch.cat([X, X[:, :1] + X[:, 1:2]], dim=1)
    with pytest.raises(
        InvalidValue, match=r"independent columns for method=.*rank 4 with 5 columns"
    ):
        fit_least_squares(X, y, method=method)
    with pytest.raises(
        InvalidValue, match=r"independent columns .* Try fit_minimum_norm or fit_ridge"
    ):
        fit_least_squares(X[:3], y[:3], method=method)


def test_descent_says_when_inputs_are_badly_scaled():
    X, y = problem(n=10, d=2)
    with pytest.raises(InvalidValue, match=r"well conditioned for method='descent'.*Standardize"):
        fit_least_squares(X * torch.tensor([1.0, 1e4]), y, method="descent")


def test_unknown_method():
    with pytest.raises(
        InvalidValue, match=r"fit_least_squares: method must be one of qr, .* got 'qrr'"
    ):
        fit_least_squares(*problem(), method="qrr")
