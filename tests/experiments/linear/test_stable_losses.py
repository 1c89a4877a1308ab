"""Losses that overflow as printed, and those that do not."""

import math

import pytest

from gradatim import experiments
from gradatim.experiments.linear.stable_losses import exact_bce


def test_every_claim_holds():
    report = experiments.run("stable-losses", quick=True, overrides={"seed": "1"})
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures


@pytest.mark.parametrize(("z", "y"), [(0.3, 0.0), (-2.0, 1.0), (5.0, 0.0)])
def test_the_reference_is_the_printed_loss_where_that_is_sound(z, y):
    p = 1 / (1 + math.exp(-z))
    assert exact_bce(z, y) == pytest.approx(-math.log(p if y else 1 - p), rel=1e-9)
