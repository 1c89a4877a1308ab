"""Heads of a BERT: shapes, padding, spans against a search, and that each task can be learned."""

import itertools
import re

import pytest
import torch

from gradatim.losses import span_cross_entropy, token_cross_entropy
from gradatim.models import (
    BERT,
    BERTClassifier,
    BERTPretraining,
    BERTSpanReader,
    BERTTagger,
    best_spans,
)
from gradatim.training import Trainer


def trunk(seed=0):
    torch.manual_seed(seed)
    return BERT(12, 10, 32, 2, 2, dropout=0.0)


def draw_texts(count=256, length=7):
    generator = torch.Generator().manual_seed(0)
    tokens = torch.randint(4, 12, (count, length), generator=generator)
    tokens[:, 0] = 2
    lengths = torch.randint(4, length + 1, (count,), generator=generator)
    return tokens, lengths


def train(model, data, loss, epochs=20, **arguments):
    trainer = Trainer(
        model, loss, "adamw", lr=3e-3, epochs=epochs, batch_size=32, clip_norm=1.0, progress=False
    )
    trainer.fit(data)
    return model.eval()


def test_a_classifier_learns_whether_a_token_occurs():
    tokens, lengths = draw_texts()
    is_real = torch.arange(7) < lengths[:, None]
    y = ((tokens == 5) & is_real).any(1).long()
    model = train(BERTClassifier(trunk(), 2), (tokens, lengths, y), "cross_entropy")
    with torch.no_grad():
        assert (model(tokens, lengths).argmax(1) == y).float().mean() > 0.97


def test_a_tagger_learns_from_both_sides():
    """The label of a place is the sum of its neighbours, modulo two."""
    tokens, lengths = draw_texts()
    y = (tokens.roll(1, 1) + tokens.roll(-1, 1)) % 2
    is_asked = (torch.arange(7) > 0) & (torch.arange(7) < lengths[:, None] - 1)
    y = y.masked_fill(~is_asked, -100)
    model = train(BERTTagger(trunk(), 2), (tokens, lengths, y), token_cross_entropy, epochs=60)
    with torch.no_grad():
        right = model(tokens, lengths).argmax(2) == y
    assert right[is_asked].float().mean() > 0.95


def test_a_span_reader_finds_the_stretch_between_two_marks():
    tokens, lengths = draw_texts()
    tokens[tokens <= 5] = 6
    starts = 1 + torch.arange(256) % 2
    ends = starts + torch.arange(256) // 2 % 2
    tokens[torch.arange(256), starts], tokens[torch.arange(256), ends] = (
        4,
        5,
    )  # one mark may be both
    y = torch.stack([starts, ends], 1)
    model = train(BERTSpanReader(trunk()), (tokens, lengths, y), span_cross_entropy)
    with torch.no_grad():
        found = best_spans(model(tokens, lengths))
    is_two = starts < ends
    assert (found.ends == ends).float().mean() > 0.95
    assert (found.starts == starts)[is_two].float().mean() > 0.95


def test_padding_is_never_an_answer():
    tokens, lengths = draw_texts(20)
    logits = BERTSpanReader(trunk())(tokens, lengths)
    assert (logits.isneginf().all(2) == (torch.arange(7) >= lengths[:, None])).all()
    assert (best_spans(logits).ends < lengths).all()


def test_spans_equal_a_search_over_all():
    logits = torch.randn(6, 9, 2, generator=torch.Generator().manual_seed(1))
    found = best_spans(logits, max_length=3)
    for row, (start, end, score) in zip(logits.tolist(), zip(*found, strict=True), strict=True):
        options = {
            (i, j): row[i][0] + row[j][1]
            for i, j in itertools.product(range(9), repeat=2)
            if i <= j < i + 3
        }
        best = max(options, key=options.get)
        assert (int(start), int(end)) == best
        assert float(score) == pytest.approx(options[best])
    with pytest.raises(ValueError, match="best_spans: max_length must be at least 1, got 0"):
        best_spans(logits, max_length=0)


def test_span_loss_by_hand_and_refusal():
    logits = torch.tensor([[[0.0, 0.0], [2.0, 0.0]]])
    start, end = torch.tensor([0.0, 2.0]).log_softmax(0)[1], torch.tensor(0.5).log()
    loss = span_cross_entropy(logits, torch.tensor([[1, 0]]))
    torch.testing.assert_close(loss, -(start + end) / 2)
    message = "output must have shape (B, T, 2) and target (B, 2), got (1, 2, 2) and (1,)"
    with pytest.raises(ValueError, match=re.escape(message)):
        span_cross_entropy(logits, torch.tensor([1]))


def test_the_pretraining_head_is_tied_to_the_embedding():
    model = BERTPretraining(trunk())
    tokens, lengths = draw_texts(5)
    hidden = model.trunk(tokens, lengths)
    torch.testing.assert_close(model(tokens, lengths), model.token_logits(hidden))
    inner = model.norm(torch.nn.functional.gelu(model.transform(hidden[:, 3])))
    expected = inner @ model.trunk.embedding.weight.T + model.bias
    torch.testing.assert_close(model.token_logits(hidden[:, 3]), expected)
    assert model.next_logits(hidden).shape == (5, 2)
