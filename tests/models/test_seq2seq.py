from functools import partial
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.data.vocabulary import END, PAD, START
from gradatim.decoding import translate
from gradatim.errors import InvalidValue
from gradatim.losses import token_cross_entropy
from gradatim.models import Seq2Seq
from gradatim.training import TeacherForcing, Trainer

KINDS = ["additive", "dot", "none"]


def build(attention="additive", **arguments):
    torch.manual_seed(0)
    return Seq2Seq(8, 7, dim=4, hidden_dim=6, attention=attention, **arguments).double()


@settings(max_examples=15, deadline=None)
@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=3),
    attention=st.sampled_from(KINDS),
    cell=st.sampled_from(["gru", "lstm"]),
)
def test_padding_never_matters(lengths, attention, cell):
    model = build(attention, cell=cell, num_layers=2)
    source, target = torch.randint(4, 8, (len(lengths), 6)), torch.randint(4, 7, (len(lengths), 5))
    count = torch.tensor(lengths)
    together = model(source, count, target)
    beams = translate(model, source, count, num_beams=3, max_length=4)
    for b, length in enumerate(lengths):
        row = (source[b : b + 1, :length], None)
        assert torch.allclose(model(*row, target[b : b + 1])[0], together[b])
        alone = translate(model, row[0], num_beams=3, max_length=4)
        L = alone.tokens.shape[-1]
        assert torch.equal(alone.tokens[0], beams.tokens[b, :, :L])
        assert torch.allclose(alone.log_probs[0], beams.log_probs[b])


@pytest.mark.parametrize("attention", ["additive", "dot"])
def test_attention_weights_sum_to_one_and_ignore_padding(attention):
    model = build(attention)
    source, lengths = torch.randint(4, 8, (3, 6)), torch.tensor([6, 1, 3])
    weights = model.align(source, lengths, torch.randint(4, 7, (3, 5)))
    assert weights.shape == (3, 5, 6)
    assert torch.allclose(weights.sum(-1), torch.ones(3, 5, dtype=torch.float64))
    for b, length in enumerate(lengths.tolist()):
        assert (weights[b, :, length:] == 0).all()


def test_a_step_sees_only_earlier_target_tokens():
    model = build()
    source, target = torch.randint(4, 8, (2, 6)), torch.randint(4, 7, (2, 5))
    changed = target.clone()
    changed[:, 3] = 4 + (changed[:, 3] - 3) % 3
    before, after = model(source, None, target), model(source, None, changed)
    assert torch.equal(before[:, :4], after[:, :4])
    assert not torch.allclose(before[:, 4], after[:, 4])


def test_without_forcing_the_decoder_hears_itself_and_with_it_the_teacher():
    model, source = build(), torch.randint(4, 8, (3, 6))
    a, b = torch.randint(4, 7, (3, 5)), torch.randint(4, 7, (3, 5))
    assert torch.equal(model(source, None, a, 0.0), model(source, None, b, 0.0))
    assert not torch.allclose(model(source, None, a, 1.0), model(source, None, b, 1.0))
    own = model(source, None, a, 0.0)
    fed_back = own.argmax(-1)
    assert torch.allclose(model(source, None, fed_back, 1.0), own)
    torch.manual_seed(0)
    half = model(source, None, a, 0.5)
    assert not torch.allclose(half, own)
    assert not torch.allclose(half, model(source, None, a, 1.0))


def test_greedy_translation_is_free_running():
    model, source = build(), torch.randint(4, 8, (3, 6))
    free = model(source, None, torch.zeros(3, 6, dtype=torch.long), 0.0).argmax(-1)
    found = translate(model, source, max_length=6)
    for row, expected in zip(found.tokens[:, 0], free, strict=True):
        stop = expected.tolist().index(END) + 1 if END in expected else 6
        assert row[:stop].tolist() == expected[:stop].tolist()


@pytest.mark.parametrize("attention", KINDS)
def test_a_wide_beam_finds_the_best_translation(attention):
    model, source = build(attention), torch.randint(4, 8, (1, 4))
    paths = {}
    for path in product(range(7), repeat=3):
        path = path[: path.index(END) + 1] if END in path else path
        log_probs = torch.log_softmax(model(source, None, torch.tensor([path]))[0], -1)
        paths[path] = sum(log_probs[t, token].item() for t, token in enumerate(path))
    found = translate(model, source, num_beams=343, max_length=3)
    best = max(paths, key=paths.get)
    assert tuple(found.tokens[0, 0, : found.lengths[0, 0]].tolist()) == best
    assert found.log_probs[0, 0].item() == pytest.approx(paths[best])
    assert found.log_probs[0].exp().sum().item() == pytest.approx(1.0)


def test_the_gradient_reaches_every_parameter():
    model = build(num_layers=2, cell="lstm")
    source, target = torch.randint(4, 8, (4, 6)), torch.randint(4, 7, (4, 5))
    token_cross_entropy(model(source, None, target), target).backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().sum() > 0, name


@pytest.mark.parametrize("ratio", [1.0, 0.0])
def test_it_learns_to_reverse(ratio):
    generator = torch.Generator().manual_seed(0)
    source = torch.randint(4, 8, (256, 4), generator=generator)
    target = torch.cat([source.flip(1), torch.full((256, 1), END)], 1)
    torch.manual_seed(0)
    model = Seq2Seq(8, 8, dim=8, hidden_dim=24)
    lengths = torch.full((256,), 4)
    if ratio == 1.0:
        trainer = Trainer(model, partial(token_cross_entropy, padding=PAD), lr=0.02, epochs=12, batch_size=32, progress=False)  # fmt: skip
        trainer.fit((source, lengths, target, target))
    else:
        trainer = Trainer(model, objective=TeacherForcing(ratio), lr=0.02, epochs=12, batch_size=32, progress=False)  # fmt: skip
        trainer.fit((source, lengths, target))
    found = translate(model, source, max_length=6)
    assert (found.tokens[:, 0, :5] == target).all(1).float().mean() > 0.9


def test_bad_arguments_are_refused():
    model, source = build("none"), torch.tensor([[4, 5]])
    with pytest.raises(InvalidValue, match="attention must be one of additive, dot, none"):
        Seq2Seq(8, 7, attention="aditive")
    with pytest.raises(InvalidValue, match="additive or dot for an attention map, got 'none'"):
        model.align(source, None, source)
    with pytest.raises(
        InvalidValue, match=r"target must have shape \(B, L\) with L from 1, got \(1, 0\)"
    ):
        model(source, None, source[:, :0])
    with pytest.raises(InvalidValue, match="teacher_forcing must be from 0 to 1, got 2"):
        model(source, None, source, 2)
    with pytest.raises(InvalidValue, match="lengths must be 1 or more, got 0 in row 0"):
        model(source, torch.tensor([0]), source)
    assert START == 1
