"""Greedy and beam search with a Transformer against slow loops."""

from itertools import product

import pytest
import torch

from gradatim.data.vocabulary import END, START
from gradatim.decoding import translate
from gradatim.errors import InvalidValue
from gradatim.models import GPT, Seq2Seq, SequenceGenerator, Transformer
from gradatim.randomness import seeded


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = Transformer(9, 6, 8, dim=8, num_heads=2).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2.0)  # odds far from uniform
    return model


SOURCE = torch.tensor([[4, 5, 6, 7], [8, 4, 0, 0], [5, 5, 5, 0]])


def log_prob(model, source, target):
    """Log-probability of a target, token by token from the whole forward pass."""
    logits = model(source[None], torch.tensor([[START, *target[:-1]]]))
    return sum(logits[0, t].log_softmax(-1)[token].item() for t, token in enumerate(target))


def every_target(length):
    for size in range(1, length + 1):
        for tokens in product(range(6), repeat=size):
            if (tokens[-1] == END or size == length) and END not in tokens[:-1]:
                yield list(tokens)


def test_a_wide_beam_finds_the_most_probable_target(model):
    found = translate(model, SOURCE, num_beams=40, max_length=2)
    for row, source in enumerate(SOURCE):
        best = max(every_target(2), key=lambda target: log_prob(model, source, target))
        assert found.tokens[row, 0, : len(best)].tolist() == best
        assert found.log_probs[row, 0].item() == pytest.approx(log_prob(model, source, best))


def test_width_one_takes_the_likeliest_token_each_time(model):
    found = translate(model, SOURCE, max_length=6)
    for row, source in enumerate(SOURCE):
        written = [START]
        while len(written) < 7 and END not in written:
            logits = model(source[None], torch.tensor([written]))
            written.append(int(logits[0, -1].argmax()))
        assert found.tokens[row, 0, : len(written) - 1].tolist() == written[1:]


def test_padding_and_neighbours_change_nothing(model):
    alone = translate(model, SOURCE[1:2, :2], num_beams=3, max_length=5)
    together = translate(model, SOURCE, num_beams=3, max_length=5)
    width = alone.tokens.shape[-1]
    assert torch.equal(alone.tokens[0], together.tokens[1, :, :width])
    torch.testing.assert_close(alone.log_probs[0], together.log_probs[1])


@pytest.mark.parametrize("length", [0, 9])
def test_lengths_beyond_the_context_are_refused(model, length):
    with pytest.raises(InvalidValue, match=f"max_length must be from 1 to the context of 8, got {length}"):  # fmt: skip
        translate(model, SOURCE, max_length=length)


def test_language_models_are_sent_to_generate():
    with pytest.raises(TypeError, match="translate: model must read a source, got GPT"):  # fmt: skip
        translate(GPT(9, 8, 8, 1, 2), SOURCE)


def test_targets_can_be_trained_on(model):
    found = translate(model, SOURCE, num_beams=2, max_length=3)
    model(SOURCE, found.tokens[:, 0]).sum().backward()
    assert model.training
    (found.log_probs * torch.ones(3, 2, requires_grad=True)).sum().backward()


def test_without_a_context_a_target_has_at_most_64_tokens():
    torch.manual_seed(0)
    model = SequenceGenerator(3, 8)
    with torch.no_grad():
        model.language.readout.bias[END] = -1e9  # it never ends
    assert translate(model, torch.randn(2, 3)).lengths.tolist() == [[64], [64]]


@pytest.mark.parametrize("kind", ["seq2seq", "transformer"])
def test_other_numbers_of_the_marks_change_nothing_but_the_numbers(kind):
    """A model whose <pad>, <start>, <end> are 5, 3, 4: its rows exchanged with those of 0, 1, 2."""
    build = {
        "seq2seq": lambda **marks: Seq2Seq(8, 8, dim=6, hidden_dim=8, **marks),
        "transformer": lambda **marks: Transformer(8, 8, 12, dim=8, num_heads=2, **marks),
    }[kind]
    with seeded(0):
        plain = build().eval()
        moved = build(pad=5, start_token=3, end_token=4).eval()
    moved.load_state_dict(plain.state_dict())
    place = torch.tensor([5, 3, 4, 1, 2, 0, 6, 7])  # its own inverse
    assert torch.equal(place[place], torch.arange(8))
    with torch.no_grad():
        embeddings = (
            [moved.encoder.embedding, moved.embedding]
            if kind == "seq2seq"
            else [moved.source_embedding, moved.target_embedding]
        )
        for embedding in embeddings:
            embedding.weight.copy_(embedding.weight[place])
        if kind == "seq2seq":
            moved.readout.weight.copy_(moved.readout.weight[place])
        moved.readout.bias.copy_(moved.readout.bias[place])
    source, lengths = torch.tensor([[6, 7, 3], [4, 0, 0]]), torch.tensor([3, 1])
    given = (lengths,) if kind == "seq2seq" else ()
    expected = translate(plain, source, *given, num_beams=3, max_length=7)
    found = translate(moved, place[source], *given, num_beams=3, max_length=7)
    torch.testing.assert_close(found.log_probs, expected.log_probs)
    assert torch.equal(place[found.tokens], expected.tokens)
    # and a plain model told at the call
    begun = translate(plain, source, *given, max_length=7, start_token=6, end_token=7, pad=5)
    behind = torch.arange(begun.tokens.shape[-1]) >= begun.lengths[..., None]
    assert (begun.tokens[behind] == 5).all()
    assert not torch.equal(
        begun.log_probs, translate(plain, source, *given, max_length=7).log_probs
    )
