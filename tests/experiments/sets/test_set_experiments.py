"""The claims about sets, points and what networks on graphs see hold, in the quick version."""

import pytest

from gradatim import experiments

FIGURES = {
    "deep-sets-digits": ["sizes", "known-size"],
    "deep-sets-dimension": ["widths", "polygons"],
    "permutation-laws": ["laws"],
    "pointnet-solids": ["parts", "removed", "maps"],
    "wl-test": ["graphs", "sight"],
    "qm9-small": ["errors"],
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == FIGURES[name]
