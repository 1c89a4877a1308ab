"""The experiments on capacity and what may be promised hold, in versions of a few seconds."""

import numpy as np
import pytest

from gradatim import experiments
from gradatim.experiments.theory.vc_dimension import gaps, sauer

PICTURES = {
    "vc-dimension": ["growth"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 6
    assert [picture.name for picture in report.pictures] == PICTURES[name]


def test_sauer_counts_subsets():
    assert [sauer(4, d) for d in range(5)] == [1, 5, 11, 15, 16]


def test_gaps_are_those_of_all_thresholds_by_hand():
    """Thresholds say 1 behind row k; labels are coins, so that every true error is a half."""

    class Labels:
        def choice(self, values, size):
            return np.array([[1.0, 1.0, -1.0, 1.0]])

    labels = np.array([1, 1, 0, 1])
    errors = [np.mean((np.arange(4) >= k) != labels) for k in range(5)]
    assert gaps(4, 1, Labels()).item() == pytest.approx(max(abs(e - 0.5) for e in errors))
