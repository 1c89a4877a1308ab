"""The experiments on rates, noise, adaptive steps and what is worth keeping hold, in the quick version."""

import pytest

from gradatim import experiments
from gradatim.data.entries import find

NAMES = ("convex-rates", "adam-versus-sgd", "implicit-regularization")


@pytest.mark.parametrize("name", NAMES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures


def test_the_bottleneck_holds_where_images_are():
    if not find("test", "mnist").is_cached:
        pytest.skip("gradatim data get mnist")
    report = experiments.run("information-bottleneck", quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
