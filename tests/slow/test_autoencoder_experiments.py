"""The experiments on autoencoders hold, each in a third of a minute in the quick version."""

import pytest

from gradatim import experiments

PICTURES = {
    "pca-is-linear-autoencoder": ["loss", "reconstructions"],
    "posterior-collapse": ["linear", "bounds", "digits"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 8
    assert [picture.name for picture in report.pictures] == PICTURES[name]
