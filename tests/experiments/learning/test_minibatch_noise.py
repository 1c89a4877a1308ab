"""Claims about the noise of mini-batches hold with another seed."""

from gradatim import experiments


def test_every_claim_holds():
    report = experiments.run(
        "minibatch-noise",
        quick=True,
        overrides={"seed": "3", "hidden_dim": "8", "epochs": "2", "batch_sizes": "64,1797"},
    )
    assert report.holds, [claim for claim in report.claims if not claim.holds]
