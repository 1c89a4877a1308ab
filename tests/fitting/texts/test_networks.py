import numpy as np
import pytest
import torch

from gradatim.data.vocabulary import PAD, UNKNOWN
from gradatim.data.word_counts import read_corpus
from gradatim.fitting.texts.networks import (
    TextSettings,
    choose_words,
    draw_settings,
    fit_network,
    tokens_of,
)

SMALL = {"dim": 8, "hidden_dim": 8, "length": 12, "epochs": 3}


def test_words_by_frequency_in_the_training_texts_only():
    corpus = read_corpus(["a b b", "c c c c"])
    assert choose_words(corpus, np.array([0]), 100) == ["b", "a"]
    assert choose_words(corpus, np.array([0, 1]), 5) == ["c"]


def test_tokens_are_padded_cut_and_never_empty():
    corpus = read_corpus(["a b c d", "", "b ? z"])
    tokens, lengths = tokens_of(corpus, np.array([0, 1, 2]), ["a", "b", "c", "d"], 3)
    assert tokens.tolist() == [[4, 5, 6], [UNKNOWN, PAD, PAD], [5, UNKNOWN, PAD]]
    assert lengths.tolist() == [3, 1, 2]


@pytest.mark.parametrize("reader", ["bag", "gru"])
def test_learns_and_does_not_depend_on_mates(reader):
    torch.set_num_threads(1)
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    texts = [f"the film was {'fine' if k else 'dull'} " + "and so on " * (k % 3) for k in y]
    settings = TextSettings(reader=reader, **SMALL)
    model, history = fit_network(read_corpus(texts), np.arange(120), y, 2, settings, seed=0)
    outputs = model.outputs(texts)
    assert (outputs.argmax(1) == y).mean() > 0.98
    assert (np.concatenate([model.outputs(texts[k : k + 5]) for k in range(0, 120, 5)]) == outputs).all()  # fmt: skip
    assert len(history) == settings.epochs * 16


def test_numbers():
    texts = ["one", "two", "three"] * 20
    y = np.array([100.0, 200.0, 300.0] * 20)
    settings = TextSettings(dim=8, length=4, epochs=8, dropout=0.0, lr=0.02)
    model, _ = fit_network(read_corpus(texts), np.arange(60), y, 0, settings, seed=0)
    assert np.abs(model.outputs(texts) - y).max() < 30


def test_trials_are_reproducible_and_of_both_kinds():
    drawn = [draw_settings(k, 0) for k in range(20)]
    assert drawn == [draw_settings(k, 0) for k in range(20)]
    assert {s.reader for s in drawn[2:]} == {"bag", "gru"}
