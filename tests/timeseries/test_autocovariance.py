"""Autocovariances against a loop and statsmodels, and their law."""

import numpy as np
import pytest
import torch
from statsmodels.tsa.stattools import acf, acovf

from gradatim.errors import InvalidValue
from gradatim.timeseries import autocorrelation, autocovariance


@pytest.fixture
def series():
    return torch.randn(60, 3, generator=torch.Generator().manual_seed(0)).double().cumsum(0)


def test_against_a_loop(series):
    found, x = autocovariance(series, 4), (series - series.mean(0)).numpy()
    for k in range(5):
        expected = sum(np.outer(x[t], x[t - k]) for t in range(k, 60)) / 60
        np.testing.assert_allclose(found[k], expected, rtol=1e-12)


def test_without_centring(series):
    assert torch.allclose(autocovariance(series, 0, centre=False)[0], series.T @ series / 60)


def test_against_statsmodels(series):
    one = series[:, 0].numpy()
    np.testing.assert_allclose(autocovariance(one, 10), acovf(one, nlag=10, fft=False), rtol=1e-12)
    np.testing.assert_allclose(autocorrelation(one, 10), acf(one, nlags=10, fft=False), rtol=1e-12)
    several = autocorrelation(series, 10)
    np.testing.assert_allclose(several[:, 0], autocorrelation(one, 10), rtol=1e-12)


def test_every_toeplitz_matrix_of_them_is_positive_semidefinite(series):
    gammas = autocovariance(series[:, 0], 59)
    lags = (torch.arange(60)[:, None] - torch.arange(60)).abs()
    assert torch.linalg.eigvalsh(gammas[lags]).min() > -1e-9


def test_white_noise_stays_in_its_band():
    noise = torch.randn(4000, generator=torch.Generator().manual_seed(1))
    inside = autocorrelation(noise, 400)[1:].abs() < 1.96 / 4000**0.5
    assert 0.92 < inside.double().mean() < 0.99


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: autocovariance(torch.zeros(3), 3), "below the 3 steps, got 3"),
        (lambda: autocovariance(torch.zeros(0), 0), "not empty, got shape \\(0,\\)"),
        (lambda: autocovariance(torch.tensor([1.0, np.nan]), 0), "NaN or infinity at step 1"),
        (lambda: autocorrelation(torch.ones(5), 2), "must vary, got a constant"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
