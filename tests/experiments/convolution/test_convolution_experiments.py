"""The experiments on convolution hold, in versions of a second or two."""

import pytest

from gradatim import experiments

SHORT = {
    "convolution-is-toeplitz": {"repeats": "3", "samples": "1,20,40,1000"},
    "convolution-theorem": {"timed_length": "2048", "timed_taps": "4,256", "repeats": "1"},
    "equivariance": {"images": "8", "seed": "1"},
    "pooling-invariance": {
        "side": "12",
        "pools": "1,2,4,12",
        "trained_pools": "1,4,12",
        "epochs": "8",
    },
    "filters": {"digit_epochs": "8", "epochs": "10"},
    "receptive-field": {"depths": "1,2,4,8", "shown": "2,8"},
    "parameter-count": {"channels": "2,8", "hidden": "8,32", "epochs": "16"},
    "shuffled-pixels": {"epochs": "6"},
}
PICTURES = {
    "convolution-is-toeplitz": ["matrices", "blocks", "learning"],
    "convolution-theorem": ["smoothing", "dice", "speed"],
    "equivariance": ["commuting", "errors"],
    "pooling-invariance": ["shifts"],
    "filters": ["photograph", "learned", "feature-maps", "lenet-filters"],
    "receptive-field": ["fields", "growth"],
    "parameter-count": ["parameters"],
    "shuffled-pixels": ["images", "accuracy"],
}


@pytest.mark.parametrize("name", SHORT)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides=SHORT[name])
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 5
    assert [picture.name for picture in report.pictures] == PICTURES[name]
