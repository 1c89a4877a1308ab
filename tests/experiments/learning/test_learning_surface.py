"""Every claim holds, with a figure to show it."""

from gradatim import experiments


def test_every_claim_holds():
    report = experiments.run("learning-surface", quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert len(report.claims) >= 10
    assert [picture.name for picture in report.pictures] == ["one-example", "surfaces"]
