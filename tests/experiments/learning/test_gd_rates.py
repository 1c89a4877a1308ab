"""Claims about rates hold for another quadratic and another network."""

from gradatim import experiments


def test_every_claim_holds():
    report = experiments.run(
        "gd-rates",
        quick=True,
        overrides={"seed": "2", "dim": "8", "network_steps": "8", "samples": "60"},
    )
    assert report.holds, [claim for claim in report.claims if not claim.holds]
