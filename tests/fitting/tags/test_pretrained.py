"""Published vectors of words: windows, means of pieces, and the linear layer."""

import numpy as np
import torch

from gradatim.data import WordPieceTokenizer
from gradatim.data.tag_sets import grammar
from gradatim.data.tokenizers.word_piece import CLASS, SEPARATOR
from gradatim.fitting.tags import player
from gradatim.fitting.tags.kind import TagOptions
from gradatim.fitting.tags.pretrained import HeadSettings, cut_windows, fit_head, read_words
from gradatim.models import BERT, SentenceEncoder


def encoder(max_length=32):
    words = " ".join(word for own in grammar(60).words for word in own)
    tokenizer = WordPieceTokenizer.train(words, vocab_size=120)
    torch.manual_seed(0)
    return SentenceEncoder(BERT(tokenizer.vocab_size, 32, 16, 1, 2), tokenizer, max_length=max_length)  # fmt: skip


def test_windows_hold_every_word_whole():
    own = encoder().tokenizer
    sentences = [["the", "taduous", "plant"] * 9, ["§"], ["x" * 900]]
    windows, places = cut_windows(own, sentences, 16)
    assert max(map(len, windows)) <= 16
    assert sum(map(len, places)) == 29
    for tokens, spans in zip(windows, places, strict=True):
        assert (tokens[0], tokens[-1]) == (own.number(CLASS), own.number(SEPARATOR))
        assert (spans[:, 1] > spans[:, 0]).all()
        assert (spans[0, 0], spans[-1, 1]) == (1, len(tokens) - 1)
        assert (spans[1:, 0] == spans[:-1, 1]).all()


def test_a_word_is_the_mean_of_its_pieces():
    own, sentence = encoder(), ["the", "taduous", "plant", "."]
    found = read_words(own, [["she"], sentence])[1:]
    pieces = [own.tokenizer.encode(word) for word in sentence]
    ids = [
        own.tokenizer.number(CLASS),
        *(piece for own_pieces in pieces for piece in own_pieces),
        own.tokenizer.number(SEPARATOR),
    ]
    with torch.inference_mode():
        tokens = torch.tensor([ids])
        hidden = torch.cat([own.model(tokens), own.model.embedding(tokens)], -1)[0].numpy()
    start = 1
    for row, part in zip(found, pieces, strict=True):
        expected = hidden[start : start + len(part)].mean(0)
        np.testing.assert_allclose(row, expected, rtol=1e-4, atol=1e-5)
        start += len(part)


def test_the_layer_learns_and_what_was_read_is_not_read_again(monkeypatch):
    own, drawn = encoder(), grammar(60)
    names = sorted({tag for tags in drawn.tags for tag in tags})
    y = np.array([names.index(tag) for tags in drawn.tags for tag in tags])
    vectors = read_words(own, drawn.words)
    model, history = fit_head(own, vectors, y, len(names), HeadSettings(epochs=80, lr=0.02), 0)
    assert len(history) == 80
    said = model.outputs(drawn.words)
    assert (said.argmax(1) == y).mean() > 0.85
    np.testing.assert_array_equal(model.outputs(drawn.words, vectors), said)


def test_a_player_reads_once_and_keeps_the_vectors(tmp_path, monkeypatch):
    monkeypatch.setattr(player, "published_minilm", encoder)
    found = player.read_player("grammar", TagOptions(rows=60, trials=1, pretrained="minilm"))

    class Kept:
        folder = tmp_path

        class cancel:  # noqa: N801
            @staticmethod
            def check():
                pass

    found.plan_network(Kept, None, lambda event: None)
    assert found.family.vectors.shape == (len(found.problem.y), 32)
    monkeypatch.setattr("gradatim.fitting.tags.family.read_words", None)
    again = player.read_player("grammar", TagOptions(rows=60, trials=1, pretrained="minilm"))
    again.plan_network(Kept, None, lambda event: None)
    np.testing.assert_array_equal(again.family.vectors, found.family.vectors)
    model = again.fit(player.Candidate("network", again.draw(0)), 0)
    assert again.outputs(model, 0).shape[1] == found.problem.classes
    assert again.watch(again.draw(0)) is not None
    assert dict(again.describe_network(again.draw(0)))["epochs"] == 8
