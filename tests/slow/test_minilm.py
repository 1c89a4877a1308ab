"""all-MiniLM-L6-v2 says what an independent run of the same weights says. Needs a network once."""

import pytest
import torch

from gradatim.data import get
from gradatim.models import published_minilm

TEXTS = [
    "A cat sat on the mat.",
    "The feline was sitting on a rug.",
    "Stock prices fell sharply on Monday.",
    "",
    "émigré 日本語 😀 unaffable " * 40,
]


def test_equals_an_independent_run():
    transformers = pytest.importorskip("transformers")
    folder = get("minilm")
    encoder = published_minilm()
    ours = encoder.encode(TEXTS)
    theirs = transformers.BertModel.from_pretrained(folder).eval()
    for vector, text in zip(ours, TEXTS, strict=True):
        ids = torch.tensor([encoder.tokenizer.encode_pair(text, max_length=256).ids])
        with torch.no_grad():
            mean = theirs(ids).last_hidden_state[0].mean(0)
        assert (vector - mean / mean.norm()).abs().max() < 1e-5


def test_paraphrases_are_near():
    get("minilm")
    vectors = published_minilm().encode(TEXTS[:3])
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > 0.55
    assert cosines[0, 2] < 0.1
    assert cosines[1, 2] < 0.15
