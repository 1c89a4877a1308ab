"""The autoregression: the worked example, other libraries, and laws of stationary processes."""

import math
import warnings

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import solve_discrete_lyapunov
from statsmodels.regression.linear_model import yule_walker
from statsmodels.tsa.api import VAR
from statsmodels.tsa.ar_model import AutoReg

from gradatim.errors import InvalidValue
from gradatim.timeseries import AR, autocovariance

WEATHER = AR([0.7, 0.2, 0.1])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.fixture(scope="module")
def series():
    return AR([0.5, -0.3, 0.2], [1.0]).simulate(400, generator=seeded())[0, :, 0]


@pytest.fixture(scope="module")
def several():
    A = torch.tensor([[[0.5, 0.1], [-0.2, 0.3]], [[0.1, 0.0], [0.2, -0.2]]])
    noise = torch.tensor([[1.0, 0.3], [0.3, 0.5]])
    return AR(A, [1.0, -1.0], noise).simulate(300, generator=seeded(1))[0]


def test_worked_temperatures():
    days = torch.tensor([15.0, 18.0, 20.0])
    assert WEATHER.predict(days).item() == pytest.approx(19.1)
    assert WEATHER.forecast(days, 1).mean.item() == pytest.approx(19.1)


def test_worked_example_has_a_unit_root():
    moduli = WEATHER.roots.abs()
    np.testing.assert_allclose(moduli, [1.0, 0.316228, 0.316228], atol=1e-6)
    assert not WEATHER.is_stationary
    with pytest.raises(InvalidValue, match="root of modulus 1"):
        WEATHER.mean  # noqa: B018


@settings(deadline=None)
@given(st.lists(st.floats(-1.5, 1.5), min_size=1, max_size=5))
def test_roots_solve_the_characteristic_equation(a):
    for z in AR(a).roots.tolist():
        value = z ** len(a) - sum(c * z ** (len(a) - k) for k, c in enumerate(a, 1))
        assert abs(value) < 1e-5 * (1 + abs(z)) ** len(a)


def test_least_squares_agrees_with_statsmodels(series):
    ours, theirs = AR.fit(series, 3), AutoReg(series.numpy(), 3).fit()
    np.testing.assert_allclose(
        [ours.intercept.item(), *ours.coefficients.flatten()], theirs.params, rtol=1e-9
    )
    assert ours.noise.item() == pytest.approx(theirs.sigma2, rel=1e-9)
    np.testing.assert_allclose(ours.residuals(series), theirs.resid, atol=1e-9)
    np.testing.assert_allclose(np.sort(ours.roots.abs()), np.sort(1 / np.abs(theirs.roots)))


def test_forecasts_and_intervals_agree_with_statsmodels(series):
    ours = AR.fit(series, 3).forecast(series, 8, level=0.9)
    theirs = AutoReg(series.numpy(), 3).fit().get_prediction(400, 407)
    np.testing.assert_allclose(ours.mean, theirs.predicted_mean, rtol=1e-9)
    np.testing.assert_allclose(
        torch.stack([ours.lower, ours.upper], 1), theirs.conf_int(alpha=0.1), rtol=1e-7
    )


def test_no_intercept_agrees_with_statsmodels(series):
    ours, theirs = (
        AR.fit(series, 2, fit_intercept=False),
        AutoReg(series.numpy(), 2, trend="n").fit(),
    )
    np.testing.assert_allclose(ours.coefficients.flatten(), theirs.params, rtol=1e-9)
    assert ours.intercept.item() == 0.0


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_yule_walker_agrees_with_statsmodels(series, fit_intercept):
    ours = AR.fit(series, 4, method="yule_walker", fit_intercept=fit_intercept)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        rho, sigma = yule_walker(series.numpy(), 4, method="mle", demean=fit_intercept)
    np.testing.assert_allclose(ours.coefficients.flatten(), rho, rtol=1e-9)
    assert ours.noise.item() == pytest.approx(sigma**2, rel=1e-9)


def test_several_variables_agree_with_statsmodels(several):
    ours, theirs = AR.fit(several, 2), VAR(several.numpy()).fit(2)
    np.testing.assert_allclose(ours.coefficients, theirs.coefs, rtol=1e-8)
    np.testing.assert_allclose(ours.intercept, theirs.intercept, rtol=1e-8)
    np.testing.assert_allclose(ours.noise, theirs.sigma_u_mle, rtol=1e-8)
    steps = ours.forecast(several, 5)
    np.testing.assert_allclose(steps.mean, theirs.forecast(several.numpy()[-2:], 5), rtol=1e-8)
    psi = theirs.ma_rep(4)
    expected = np.cumsum([p @ ours.noise.numpy() @ p.T for p in psi], axis=0)
    np.testing.assert_allclose(ours.forecast_covariance(5), expected, rtol=1e-8)


def test_yule_walker_of_several_variables_solves_its_equations(several):
    A = AR.fit(several, 3, method="yule_walker").coefficients
    gammas = autocovariance(several, 3)
    for k in range(1, 4):
        lags = [gammas[k - j] if k >= j else gammas[j - k].T for j in range(1, 4)]
        right = sum(A[j] @ lag for j, lag in enumerate(lags))
        np.testing.assert_allclose(right, gammas[k], atol=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 4), st.integers(1, 2), st.integers(0, 10**6))
def test_yule_walker_is_always_stationary(order, dim, seed):
    walk = torch.randn(40, dim, generator=seeded(seed)).double().cumsum(0)  # not stationary itself
    assert AR.fit(walk, order, method="yule_walker").is_stationary


@pytest.mark.parametrize("method", ["least_squares", "yule_walker"])
def test_known_coefficients_are_found_again(method):
    truth = AR([0.6, -0.4, 0.3], [0.5], [[2.0]])
    series = truth.simulate(10_000, generator=seeded(3))[0, :, 0]
    found = AR.fit(series, 3, method=method)
    assert (found.coefficients - truth.coefficients).abs().max() < 0.03
    assert found.noise.item() == pytest.approx(2.0, rel=0.05)
    assert series.mean().item() == pytest.approx(truth.mean.item(), abs=0.2)


def test_simulation_follows_the_recursion():
    truth = AR([0.5, 0.3], [1.0], [[0.0]])  # no noise
    path = truth.simulate(4, start=torch.tensor([1.0, 2.0]))[0, :, 0]
    values = [1.0, 2.0]
    for _ in range(4):
        values.append(1.0 + 0.5 * values[-1] + 0.3 * values[-2])
    np.testing.assert_allclose(path, values[2:])


def test_simulated_covariance_solves_the_lyapunov_equation():
    A = torch.tensor([[[0.5, 0.2], [-0.1, 0.4]]])
    noise = torch.tensor([[1.0, 0.5], [0.5, 2.0]])
    ends = AR(A, noise=noise).simulate(60, 20_000, generator=seeded(4))[:, -1]
    expected = solve_discrete_lyapunov(A[0].double().numpy(), noise.double().numpy())
    np.testing.assert_allclose(torch.cov(ends.T), expected, atol=0.08)


def test_errors_of_a_unit_root_grow_without_end_and_of_a_stationary_model_level_off():
    walk = AR([1.0]).forecast_covariance(50).flatten()
    np.testing.assert_allclose(walk, torch.arange(1, 51))  # a random walk: h·σ²
    faded = AR([0.8]).forecast_covariance(200).flatten()
    assert faded[-1].item() == pytest.approx(1 / (1 - 0.64))


def test_intervals_hold_their_level():
    model = AR([0.6, 0.2])
    paths = model.simulate(205, 4000, generator=seeded(5))[..., 0]
    hits = []
    for path in paths[:400]:
        predicted = model.forecast(path[:200], 5, level=0.8)
        hits.append((predicted.lower <= path[200:]) & (path[200:] <= predicted.upper))
    assert torch.stack(hits).double().mean().item() == pytest.approx(0.8, abs=0.04)


def test_the_same_generator_gives_the_same_series():
    a, b = (WEATHER.simulate(5, 2, generator=seeded(7)) for _ in range(2))
    assert torch.equal(a, b)


def test_repr_names_order_and_root():
    assert repr(AR([0.5])) == "AR(1): [0.5], largest root 0.5"
    assert repr(AR(torch.zeros(2, 3, 3))) == "AR(2): 3 variables, largest root 0"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: AR([]), "coefficients must be finite, of shape \\(p,\\) or \\(p, D, D\\)"),
        (lambda: AR([math.nan]), "coefficients must be finite"),
        (lambda: AR(torch.zeros(2, 3)), "or \\(p, D, D\\), got"),
        (lambda: AR([0.5], [1.0, 2.0]), "intercept must have shape \\(1,\\), got \\(2,\\)"),
        (lambda: AR([0.5], None, [[-1.0]]), "noise must be positive semidefinite, got eigenvalue -1"),
        (lambda: AR.fit(torch.zeros(0), 1), "series must be .* not empty, got shape \\(0,\\)"),
        (lambda: AR.fit(torch.tensor([1.0]), 1), "series have 3 steps or more for it, got order=1 and 1"),
        (lambda: AR.fit(torch.ones(9), 0), "order must be at least 1"),
        (lambda: AR.fit(torch.ones(50), 2), "linearly dependent lags at order=2"),
        (lambda: AR.fit(torch.ones(50), 2, method="yule_walker"), "linearly dependent lags"),
        (lambda: AR.fit(torch.tensor([1.0, 2.0, np.nan, 3.0]), 1), "NaN or infinity at step 2"),
        (lambda: AR.fit(torch.randn(50), 2, method="burg"), "method must be one of"),
        (lambda: WEATHER.predict(torch.zeros(2)), "at least 3 steps, got 1 and 2"),
        (lambda: WEATHER.forecast(torch.zeros(3, 2), 1), "must have 1 variables"),
        (lambda: WEATHER.predict(torch.zeros(0)), "not empty, got shape \\(0,\\)"),
        (lambda: WEATHER.forecast(torch.tensor([1.0, np.nan, 1.0]), 1), "NaN or infinity at step 1"),
        (lambda: WEATHER.forecast(torch.zeros(3), 0), "steps must be at least 1"),
        (lambda: WEATHER.simulate(0), "steps and num_sequences must be at least 1, got 0 and 1"),
        (lambda: WEATHER.simulate(5, 0), "got 5 and 0"),
        (lambda: WEATHER.forecast(torch.zeros(3), 1, level=1.0), "level in \\(0, 1\\), got 1 and 1.0"),
    ],
)  # fmt: skip
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
