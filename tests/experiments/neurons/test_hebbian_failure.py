"""Every claim holds, with figures to show it."""

from gradatim import experiments


def test_every_claim_holds():
    report = experiments.run("hebbian-failure", quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert len(report.claims) >= 6
    assert [picture.name for picture in report.pictures] == ["errors", "regions"]
