"""The claims about encoder Transformers hold, in the quick version, where weights and data are on this machine."""

import numpy as np
import pytest

from gradatim import experiments
from gradatim.data.entries import find
from gradatim.experiments.attention.minilm_neighbours import ranks, shared_words, word_vectors

NEEDS = {
    "minilm-neighbours": ("minilm", "tatoeba-spa"),
    "vit-regularizers": (),
}


@pytest.mark.parametrize("name", NEEDS)
def test_every_claim_holds(name):
    missing = [data for data in NEEDS[name] if not find("test", data).is_cached]
    if missing:
        pytest.skip(f"gradatim data get {' '.join(missing)}")
    report = experiments.run(name, quick=True)
    assert report.holds, [claim for claim in report.claims if not claim.holds]
    assert report.pictures


def test_places_by_hand():
    vectors = np.array([[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.8, 0.6], [0.96, 0.28]])
    assert ranks(vectors, 2).tolist() == [4, 4, 1, 1]


def test_words_by_hand():
    assert shared_words("A cat sat", "the cat sat down") == 2 / 5
    vectors = word_vectors(["cat dog", "cat", "bird"])
    cat, dog = 1 + np.log(4 / 3), 1 + np.log(4 / 2)
    assert vectors[0] @ vectors[1] == pytest.approx(cat / np.hypot(cat, dog))
    assert vectors[1] @ vectors[2] == 0
