import math
from itertools import pairwise

import numpy as np
import pytest
from numpy.polynomial.hermite_e import HermiteE
from scipy import integrate, stats

from gradatim.generative.hidden_correlation import Scores, latent_correlation


def pair(rho, rows, seed=0):
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(rows, 2))
    return z[:, 0], rho * z[:, 0] + math.sqrt(1 - rho**2) * z[:, 1]


def everywhere(values):
    return Scores.of(values * 1.0, np.ones(len(values), bool))


def integral(function, a, b):
    return integrate.quad(lambda z: function(z) * stats.norm.pdf(z), a, b)[0]


def test_the_coefficients_are_integrals():
    column = everywhere(np.repeat([0, 1, 2], [50, 30, 20]))
    ends = stats.norm.ppf([0, 0.5, 0.8, 1])
    for k in range(1, 9):
        total = 0.0
        for a, b in pairwise(ends):
            mean, part = (integral(HermiteE.basis(order), a, b) for order in (1, k))
            total += mean / (stats.norm.cdf(b) - stats.norm.cdf(a)) * part
        assert column.hermite[k - 1] == pytest.approx(
            total / math.sqrt(math.factorial(k)), abs=1e-7
        )


@pytest.mark.parametrize("rho", [-0.7, 0.0, 0.5, 0.85])
def test_what_lies_behind_jumps_is_found(rho):
    x, y = pair(rho, 20_000)
    columns = [x, x > 0.5, np.digitize(y, [-1, 0, 0.3]), y > -0.8]
    found = latent_correlation([everywhere(own) for own in columns])
    expected = np.full((4, 4), rho)
    expected[:2, :2] = expected[2:, 2:] = 1.0
    assert np.abs(found - expected)[:2, 2:].max() < 0.06


def test_values_that_never_repeat_have_the_correlation_of_their_scores():
    x, y = pair(0.6, 500)
    columns = [everywhere(np.exp(x)), everywhere(y)]
    assert columns[0].hermite[0] == pytest.approx(1.0, abs=0.02)
    scores = [stats.norm.ppf((stats.rankdata(v) - 0.5) / 500) for v in (x, y)]
    assert latent_correlation(columns)[0, 1] == pytest.approx(np.corrcoef(scores)[0, 1], abs=0.01)


def test_rows_without_a_cell_are_left_out():
    x, y = pair(0.8, 4000)
    is_there = np.random.default_rng(0).random(4000) < 0.5
    found = latent_correlation([Scores.of(np.where(is_there, x, 99.0), is_there), everywhere(y)])
    assert found[0, 1] == pytest.approx(0.8, abs=0.04)


def test_the_matrix_is_proper():
    rng = np.random.default_rng(0)
    columns = [Scores.of(rng.normal(size=9), rng.random(9) < 0.6) for _ in range(12)]
    found = latent_correlation(columns)
    assert np.linalg.eigvalsh(found).min() > 0
    assert np.allclose(np.diag(found), 1.0)
    assert np.allclose(found, found.T)
