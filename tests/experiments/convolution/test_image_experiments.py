"""The claims about image classifiers hold, in the quick version, where the images are on this machine."""

import pytest

from gradatim import experiments
from gradatim.data.entries import find

NEEDS = {
    "mnist-cnn": ("mnist",),
    "fashion-mnist": ("fashion-mnist",),
    "cifar10-quick": ("cifar10",),
    "resnet20-published": ("cifar10", "cifar10-resnets"),
}


@pytest.mark.parametrize("name", NEEDS)
def test_every_claim_holds(name):
    missing = [data for data in NEEDS[name] if not find("test", data).is_cached]
    if missing:
        pytest.skip(f"gradatim data get {' '.join(missing)}")
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures
