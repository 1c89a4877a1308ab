"""The experiments on approximation and linear regions hold, in versions of a second or two."""

import pytest

from gradatim import experiments

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
    "residual-depth": {},
    "symmetries": {"seed": "1"},
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
    "residual-depth": ["depth"],
    "symmetries": ["twins", "patches"],
}


@pytest.mark.parametrize("name", SHORT)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides=SHORT[name])
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 6
    assert [picture.name for picture in report.pictures] == PICTURES[name]
