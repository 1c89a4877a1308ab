"""R-hat and effective sizes are those of ArviZ, and those that theory knows."""

import warnings

import numpy as np
import pytest
import torch
from arviz_stats.base import array_stats
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gradatim.bayes import ess_bulk, ess_tail, r_hat
from gradatim.errors import InvalidValue

CHECKS = {
    r_hat: lambda x: array_stats.rhat(x, chain_axis=0, draw_axis=1),
    ess_bulk: lambda x: array_stats.ess(x, chain_axis=0, draw_axis=1),
    ess_tail: lambda x: array_stats.ess(x, chain_axis=0, draw_axis=1, method="tail", prob=(0.05, 0.95)),
}  # fmt: skip


def autoregressive(phi, chains, draws, rng):
    noise = rng.normal(size=(chains, draws))
    x = np.empty((chains, draws))
    x[:, 0] = noise[:, 0] / np.sqrt(1 - phi**2)
    for t in range(1, draws):
        x[:, t] = phi * x[:, t - 1] + noise[:, t]
    return x


def assert_equal_to_arviz(draws):
    for ours, theirs in CHECKS.items():
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = theirs(draws)
        np.testing.assert_allclose(ours(draws).numpy(), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("chains", [2, 3, 8])
@pytest.mark.parametrize("draws", [4, 5, 6, 7, 9, 50, 101, 1000])
def test_they_are_those_of_arviz(chains, draws):
    rng = np.random.default_rng(chains * draws)
    white = rng.normal(size=(chains, draws))
    samples = {
        "white": white,
        "walk": white.cumsum(1),
        "slow": autoregressive(0.9, chains, draws, rng),
        "alternating": autoregressive(-0.8, chains, draws, rng),
        "ties": white.round(),
        "apart": white + np.arange(chains)[:, None],
        "wide": white * np.arange(1, chains + 1)[:, None],
        "heavy": rng.standard_cauchy(size=(chains, draws)),
    }
    for values in samples.values():
        assert_equal_to_arviz(values)


@given(hnp.arrays(float, st.tuples(st.integers(2, 4), st.integers(4, 20)), elements=st.integers(-3, 3)))  # fmt: skip
def test_they_are_those_of_arviz_on_any_few_numbers(draws):
    assert_equal_to_arviz(draws)


def test_every_number_is_judged_by_itself():
    x = np.random.default_rng(0).normal(size=(4, 100, 2, 3))
    for check in CHECKS:
        found = check(torch.from_numpy(x))
        assert found.shape == (2, 3)
        each = [[float(check(x[:, :, i, j])) for j in range(3)] for i in range(2)]
        np.testing.assert_allclose(found.numpy(), each, rtol=1e-12)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, -0.5])
def test_an_autoregression_is_worth_what_theory_says(phi):
    x = autoregressive(phi, 8, 20_000, np.random.default_rng(0))
    assert float(ess_bulk(x)) == pytest.approx(8 * 20_000 * (1 - phi) / (1 + phi), rel=0.12)
    assert float(r_hat(x)) == pytest.approx(1.0, abs=2e-3)


def test_monotone_maps_change_no_rank():
    x = np.random.default_rng(0).normal(size=(4, 200))
    for check in (ess_bulk, ess_tail):
        assert float(check(np.exp(x))) == pytest.approx(float(check(x)), rel=1e-12)


def test_chains_that_differ_only_in_width_are_told_apart():
    x = np.random.default_rng(0).normal(size=(4, 500)) * np.array([1, 1, 1, 4])[:, None]
    assert float(r_hat(x)) > 1.1


def test_where_there_is_nothing_to_compare_there_is_no_number():
    white = torch.randn(1, 100)
    assert r_hat(white).isnan()  # one chain
    assert ess_bulk(white) > 50
    for check in CHECKS:
        assert check(torch.randn(4, 3)).isnan()
        broken = torch.randn(4, 100)
        broken[0, 7] = torch.nan
        assert check(broken).isnan()
    assert r_hat(torch.ones(4, 100)).isnan()
    assert float(ess_bulk(torch.ones(4, 100))) == 400


def test_draws_without_chains_are_refused():
    with pytest.raises(InvalidValue, match=r"r_hat: draws must be real numbers of shape \(chains, draws, ...\), got shape \(100,\)"):  # fmt: skip
        r_hat(torch.randn(100))
