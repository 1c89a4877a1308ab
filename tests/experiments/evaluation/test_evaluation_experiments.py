"""The experiments on evaluation that need no download hold in their quick form."""

import pytest

from gradatim import experiments


@pytest.mark.parametrize(
    "name",
    [
        "anomalies",
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
