"""The experiments on graphs hold, in versions of a second or two."""

import pytest

from gradatim import experiments

PICTURES = {
    "graph-fourier": ["frequencies", "waves"],
    "chebyshev-filters": ["orders"],
    "cora": ["models"],
    "heterophily": ["homophily"],
    "karate": ["club"],
    "over-smoothing": ["energy", "accuracy"],
    "over-squashing": ["influence", "dumbbell"],
    "link-prediction": ["auc"],
    "mutag": ["accuracies", "epochs"],
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True, overrides={"seed": "1"})
    assert [claim.name for claim in report.claims if not claim.holds] == []
    assert len(report.claims) >= 3
    assert [picture.name for picture in report.pictures] == PICTURES[name]
