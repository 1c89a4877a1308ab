"""Neighbours and analogies by hand, and vectors that are learned."""

import numpy as np
import pytest
import torch

from gradatim.data import SkipGrams
from gradatim.errors import InvalidValue, Unavailable
from gradatim.losses import negative_sampling
from gradatim.models import SkipGram, WordVectors, published_glove
from gradatim.training import Trainer

WORDS = ["man", "woman", "king", "queen", "apple"]
TABLE = np.array([[1.0, 0, 0.1], [0, 1.0, 0.1], [1, 0, 2.0], [0, 1, 2.0], [-1, -1, 0]])


def test_neighbours_are_those_of_the_cosines():
    vectors = WordVectors(WORDS, TABLE)
    cosine = TABLE @ TABLE.T / np.outer(*[np.linalg.norm(TABLE, axis=1)] * 2)
    order = [k for k in np.argsort(-cosine[2]).tolist() if k != 2]
    found = vectors.neighbours("king", 4)
    assert [n.word for n in found] == [WORDS[k] for k in order]
    assert found[0].cosine == pytest.approx(cosine[2, order[0]], rel=1e-5)
    assert vectors.cosine("man", "queen") == pytest.approx(cosine[0, 3], rel=1e-5)


def test_analogies_leave_the_three_words_out():
    vectors = WordVectors(WORDS, TABLE)
    assert vectors.analogy("man", "king", "woman")[0].word == "queen"
    assert vectors.analogy("man", "man", "king", leave_out=False)[0].word == "king"
    said = {n.word for n in vectors.analogy("man", "king", "woman", 9)}
    assert said == {"queen", "apple"}


def test_what_is_wrong_is_said():
    vectors = WordVectors(WORDS, TABLE)
    assert ("king" in vectors, "kong" in vectors, len(vectors)) == (True, False, 5)
    with pytest.raises(InvalidValue, match="word must be one of king, got 'kimg'"):
        vectors.neighbours("kimg")
    with pytest.raises(InvalidValue, match="must have a row for each of the words"):
        WordVectors(WORDS[:3], TABLE)
    with pytest.raises(InvalidValue, match="must be finite"):
        WordVectors(["a"], [[float("nan")]])
    with pytest.raises(InvalidValue, match="must be different"):
        WordVectors(["a", "a"], [[1.0], [2.0]])


def test_glove_names_its_command(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADATIM_HOME", str(tmp_path))
    with pytest.raises(Unavailable, match="gradatim data get glove-50d"):
        published_glove()


def test_scores_are_products():
    torch.manual_seed(0)
    model = SkipGram(7, 3)
    torch.nn.init.normal_(model.context.weight)
    u, v = model.center.weight.detach(), model.context.weight.detach()
    scores = model(torch.tensor([2, 5]), torch.tensor([[1, 4], [0, 6]]))
    expected = torch.tensor([[u[2] @ v[1], u[2] @ v[4]], [u[5] @ v[0], u[5] @ v[6]]])
    torch.testing.assert_close(scores, expected)


def test_words_of_like_company_become_neighbours():
    rng = np.random.default_rng(0)
    sentences = [[*rng.choice([f"{kind}{k}" for k in range(4)], 5)] for kind in "ab" * 150]
    pairs = SkipGrams(sentences, threshold=0, batch_size=128)
    torch.manual_seed(0)
    model = SkipGram(len(pairs.words), 8)
    Trainer(model, negative_sampling, lr=0.03, epochs=5, progress=False).fit(pairs)
    vectors = WordVectors(pairs.words, model.center.weight.detach())
    for word in pairs.words:
        assert {n.word[0] for n in vectors.neighbours(word, 3)} == {word[0]}
