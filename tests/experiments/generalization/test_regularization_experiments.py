"""The claims about regularization hold, in the quick version."""

import pytest

from gradatim import experiments

NAMES = (
    "early-stopping-is-weight-decay",
    "dropout-is-ridge",
    "weight-decay-path",
    "batchnorm",
    "lottery-ticket",
    "distillation",
)


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures
