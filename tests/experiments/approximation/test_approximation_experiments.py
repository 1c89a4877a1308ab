"""The experiments on approximation and linear regions hold, in versions of a second or two."""

import numpy as np
import pytest

from gradatim import experiments
from gradatim.experiments.approximation.approximation_limits import bernstein, best_readout

SHORT = {
    "universal-approximation": {
        "widths": "1,16",
        "restarts": "2",
        "steps": "40",
        "stages": "10,100,600",
    },
    "barron-rate": {"dims": "3,10", "seed": "1"},
    "linear-regions": {"nets": "2", "epochs": "150", "units": "3,12", "seed": "1"},
    "depth-versus-width": {"restarts": "2", "steps": "30", "seed": "1"},
    "symmetries": {"seed": "1"},
    "approximation-limits": {"seed": "1"},
    "learned-features": {"seed": "1"},
}
PICTURES = {
    "universal-approximation": [
        "error-against-width",
        "learning-sin",
        "ridges-on-a-line",
        "ridges-on-the-plane",
        "interpolant",
    ],
    "barron-rate": ["drawn-units", "chosen-units"],
    "linear-regions": ["growth", "partitions", "xor", "spirals"],
    "depth-versus-width": ["sawtooth", "square", "trained"],
    "symmetries": ["twins", "patches"],
    "approximation-limits": ["limits", "bumps"],
    "learned-features": ["features"],
}


@pytest.mark.parametrize("name", SHORT)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides=SHORT[name])
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 3
    assert [picture.name for picture in report.pictures] == PICTURES[name]


def test_bernstein_keeps_lines_and_lifts_squares():
    x, k = np.linspace(0, 1, 11), np.arange(8) / 7
    np.testing.assert_allclose(bernstein(2 * k - 1, x), 2 * x - 1, atol=1e-12)
    np.testing.assert_allclose(bernstein(k**2, x), x**2 + x * (1 - x) / 7, atol=1e-12)


def test_the_best_line_for_a_parabola_is_off_by_an_eighth():
    x = np.linspace(0, 1, 101)
    assert best_readout(x[:, None], x**2) == pytest.approx(1 / 8)
