"""Claims about attention that need a minute of training together."""

import pytest

from gradatim import experiments


@pytest.mark.parametrize(
    "name",
    [
        "positional-encoding",
        "permutation-without-positions",
        "decoding-strategies",
        "induction",
        "shakespeare-gpt",
        "translate-dates",
        "preference-tuning",
    ],
)
def test_every_claim_holds(name):
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
