"""Costs of both modes are as claimed, for other sizes too."""

import pytest

from gradatim import experiments


@pytest.mark.parametrize("sizes", ["1,8,64", "2,6"])
def test_every_claim_holds(sizes):
    report = experiments.run(
        "forward-versus-reverse", quick=True, overrides={"sizes": sizes, "repeats": "1"}
    )
    assert report.holds, [claim for claim in report.claims if not claim.holds]
