"""The experiments on evaluation that need no download hold in their quick form."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from gradatim import experiments
from gradatim.experiments.evaluation.bayesian_optimization import (
    branin,
    expected_improvement,
    forrester,
)


@pytest.mark.parametrize(
    "name",
    [
        "anomalies",
        "bayesian-optimization",
        "before-deep-learning",
        "conformal-coverage",
        "iris-simple-wins",
        "polynomial-degree",
        "overfitting",
        "ensemble",
        "rare-classes",
    ],
)
def test_claims_hold(name):
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures


@pytest.mark.parametrize(
    ("mean", "std", "best"), [(0.0, 1.0, 0.0), (1.0, 0.5, 0.2), (-2.0, 3.0, -2.5)]
)
def test_expected_improvement_is_an_integral(mean, std, best):
    exact = quad(lambda f: (best - f) * norm.pdf(f, mean, std), mean - 12 * std, best)[0]
    found = expected_improvement(np.array([mean]), np.array([std]), best)[0]
    assert found == pytest.approx(exact, abs=1e-9)


def test_known_minima_of_the_two_functions():
    """As their papers print them."""
    assert forrester(np.array([[0.757249]]))[0] == pytest.approx(-6.02074, abs=1e-5)
    places = np.array([[-np.pi, 12.275], [np.pi, 2.275], [9.42478, 2.475]])
    assert branin((places + np.array([5, 0])) / 15) == pytest.approx([0.397887] * 3, abs=1e-5)
