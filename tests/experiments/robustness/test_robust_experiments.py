"""The claims about robustness hold, in the quick version."""

import pytest

from gradatim import experiments

FIGURES = {
    "affine-closed-form": ["norms", "digits", "distances"],
    "adversarial-examples": ["distances", "fgsm", "deepfool", "curves"],
    "few-pixels": ["pixels", "curve", "targets"],
    "adversarial-training": ["distances", "curves", "standard-examples", "adversarial-examples"],
}


@pytest.mark.parametrize("name", FIGURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert [picture.name for picture in report.pictures] == FIGURES[name]
