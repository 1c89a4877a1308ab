"""The experiments on Gaussian processes hold, in versions of a few seconds."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gradatim import experiments
from gradatim.bayes import RBF, Matern, NetworkKernel, White
from gradatim.data.entries import find
from gradatim.experiments.bayes import co2
from gradatim.experiments.bayes.co2 import Months, make_kernel, parts_of, say_line
from gradatim.experiments.bayes.gp_regression import draw_functions, last_layer

PICTURES = {"gp-regression": ["learning", "limits"], "co2": ["forecast", "parts"]}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    if name == "co2" and not find("test", "co2").is_cached:
        pytest.skip("needs co2 in the cache")
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 10
    assert [picture.name for picture in report.pictures] == PICTURES[name]


def test_a_made_up_curve_is_told_apart_and_forecast(monkeypatch):
    """A year of 48 weeks, four a month, 1958 to 2001; every fifth week of the first months is missing."""
    weeks = np.arange(44 * 48)
    year, month, day = 1958 + weeks // 48, weeks % 48 // 4 + 1, weeks % 4 * 7 + 1
    value = 315 + 1.2 * weeks / 48 + 3 * np.sin(2 * np.pi * weeks / 48)
    value[weeks < 4] = np.nan
    made = SimpleNamespace(X=(year * 10_000 + month * 100 + day)[:, None].astype(float), y=value)
    monkeypatch.setattr(co2, "load", lambda name: made)
    months = co2.read_months()
    assert np.isnan(months.value).tolist() == [True] + [False] * (44 * 12 - 1)
    assert months.value[1] == pytest.approx(value[4:8].mean())
    report = co2.run(co2.Settings(starts=(1976, 1991), max_steps=15))
    held = {claim.name for claim in report.claims if claim.holds}
    assert "trend, season and weather add up to the mean" in held
    assert "the season comes back after" in held


def test_functions_of_the_prior_have_its_covariance():
    x = np.array([0.0, 0.5, 2.0])
    f = draw_functions(Matern(0.5), x, 40_000, 0)
    expected = np.exp(-np.abs(x[:, None] - x))
    np.testing.assert_allclose(f @ f.T / 40_000, expected, atol=0.03)


def test_a_very_wide_last_layer_is_the_process():
    X, new = np.array([[-0.5], [0.5]]), np.array([[0.2]])
    y = np.array([1.0, -1.0])
    kernel = NetworkKernel(depth=2, weight_variance=2.0, bias_variance=0.5)
    K, k = kernel(torch.from_numpy(X)).numpy(), kernel(*map(torch.from_numpy, (new, X))).numpy()
    expected = k @ np.linalg.solve(K + 0.04 * np.eye(2), y)
    assert last_layer(X, y, new, 200_000, 0) == pytest.approx(expected, abs=0.02)


def test_a_line_and_months_go_on():
    year = (np.arange(120) + 0.5) / 12 + 1970
    value = 3.0 * year + np.sin(2 * math.pi * year)
    past = Months(year[:60], value[:60])
    np.testing.assert_allclose(say_line(past, year[60:]), value[60:], atol=1e-6)


def test_months_split_at_a_year_and_know_what_is_missing():
    year = (np.arange(300) + 0.5) / 12 + 1980
    months = Months(year, np.where(np.arange(300) == 5, np.nan, 1.0))
    assert (len(months.before(1990).year), len(months.after(1990).year)) == (120, 132)
    assert len(months.known.year) == 299


def test_the_parts_of_a_kernel_are_its_summands():
    x = torch.linspace(0, 3, 7).double()[:, None]
    kernel = make_kernel()
    parts = parts_of(kernel)
    assert [type(part).__name__ for part in parts] == ["RBF", "Product", "Matern", "White"]
    assert isinstance(parts[0], RBF)
    assert isinstance(parts[3], White)
    torch.testing.assert_close(sum(part(x) for part in parts), kernel(x))
