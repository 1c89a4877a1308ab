"""The hand calculations hold, and for other seeds too."""

import pytest

from gradatim import experiments


@pytest.mark.parametrize("seed", ["0", "7"])
def test_every_claim_holds(seed):
    report = experiments.run("backprop-by-hand", quick=True, overrides={"seed": seed})
    assert report.holds
    assert len(report.claims) >= 30
    assert [picture.name for picture in report.pictures] == [
        "one-unit-chain",
        "one-unit-graph",
        "deep-chain",
    ]
