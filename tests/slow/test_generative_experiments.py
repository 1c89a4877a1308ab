"""More claims about generators of points, digits and rows, each of which takes a third of a minute in the quick version."""

import pytest

from gradatim import experiments

FIGURES = {
    "diffusion-points": ["steps", "score", "likelihood"],
    "dcgan-mnist": ["batch", "spectral", "game"],
    "diffusion-mnist": ["diffusion", "vae", "gan", "neighbours", "distances"],
    "gan-modes": ["clouds", "coverage"],
    "flow-matching": ["paths", "looks"],
    "memorization": ["pairs", "share"],
    "samplers": ["looks", "samples"],
    "synthetic-tables": ["breast-cancer"],
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == FIGURES[name]
