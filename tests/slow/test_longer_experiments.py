"""Claims of chapters whose other experiments run with every change; the quick form of each takes five seconds of a core or more."""

import pytest

from gradatim import experiments

PICTURES = {
    "answer-spans": ["pointers"],
    "attention-in-cnns": ["accuracy", "gates"],
    "bert-pretraining": None,
    "borrowed-features": None,
    "captions": None,
    "escaping": None,
    "long-memory": ["accuracy-against-lag"],
    "residual-depth": ["depth"],
    "segmentation": ["iou", "masks"],
    "tcn-versus-lstm": ["accuracy-by-task"],
    "vit-versus-cnn": None,
}  # None for any


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    pictures = [picture.name for picture in report.pictures]
    assert pictures == PICTURES[name] if PICTURES[name] else pictures
