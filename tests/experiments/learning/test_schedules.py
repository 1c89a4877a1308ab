"""Claims about schedules hold with another seed."""

from gradatim import experiments


def test_every_claim_holds():
    report = experiments.run("schedules", quick=True, overrides={"seed": "1"})
    assert report.holds, [claim for claim in report.claims if not claim.holds]
