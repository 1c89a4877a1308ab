"""Every claim holds, with figures to show it."""

from gradatim import experiments


def test_every_claim_holds():
    report = experiments.run("perceptron-novikoff", quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert len(report.claims) >= 7
    assert [picture.name for picture in report.pictures] == [
        "mistakes-and-bound",
        "lemmas",
        "hyperplane",
        "path",
        "version-space",
        "bias",
    ]
