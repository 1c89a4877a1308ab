"""Claims about the ravine hold, for another valley too."""

from gradatim import experiments


def test_every_claim_holds():
    report = experiments.run(
        "optimizers-on-a-ravine",
        quick=True,
        overrides={"condition": "60", "conditions": "10,40", "steps": "120"},
    )
    assert report.holds, [claim for claim in report.claims if not claim.holds]
