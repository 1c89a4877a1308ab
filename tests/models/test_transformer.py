"""Stacks and the encoder-decoder: causality, padding, stepwise decoding."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import Transformer, TransformerDecoder, TransformerEncoder, describe, rebuild
from gradatim.nn import padding_mask


def build(**arguments):
    return Transformer(11, 9, 12, dim=8, num_layers=2, num_heads=2, **arguments).double().eval()


def tokens(high, *shape, seed=0):
    return torch.randint(1, high, shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_a_target_token_sees_all_of_the_source_and_nothing_after_itself(norm):
    model, source, target = build(norm=norm), tokens(11, 2, 6), tokens(9, 2, 5)
    before = model(source, target)
    later = target.clone()
    later[:, 3:] = 1 + (later[:, 3:] % 8)
    assert torch.equal(model(source, later)[:, :3], before[:, :3])
    assert not torch.allclose(model(source, later)[:, 3:], before[:, 3:])
    changed = source.clone()
    changed[:, -1] = 1 + (changed[:, -1] % 10)
    assert not torch.allclose(model(changed, target)[:, 0], before[:, 0])


def test_padding_of_the_source_changes_nothing():
    model, source, target = build(), tokens(11, 2, 6), tokens(9, 2, 5)
    padded = torch.cat((source, torch.zeros(2, 4, dtype=torch.long)), dim=1)
    torch.testing.assert_close(model(padded, target), model(source, target))
    assert model(torch.zeros_like(source), target).isfinite().all()  # nothing but padding


def test_token_by_token_equals_all_at_once():
    model, source, target = build(), tokens(11, 3, 6), tokens(9, 3, 5)
    source[0, 3:] = 0
    state = model.start(source)
    steps = [model.step(state, target[:, t])[0] for t in range(5)]
    torch.testing.assert_close(torch.stack(steps, dim=1), model(source, target))


def test_stack_of_rotary_encoder_ignores_where_it_starts():
    encoder = TransformerEncoder(8, 2, 2, is_rotary=True).double().eval()
    x = torch.randn(2, 5, 8, dtype=torch.float64)
    shifted = torch.cat((torch.zeros(2, 3, 8).double(), x), dim=1)
    mask = ~padding_mask(torch.tensor([3, 3]), 8)  # hide the first three
    torch.testing.assert_close(encoder(shifted, mask=mask)[:, 3:], encoder(x), atol=1e-6, rtol=0)


def test_drop_rates_grow_with_depth():
    for stack in (
        TransformerEncoder(8, 4, 2, last_drop=0.4),
        TransformerDecoder(8, 4, 2, last_drop=0.4),
    ):
        rates = [block.feed_forward_shortcut.drop for block in stack.blocks]
        assert rates == pytest.approx([0.1, 0.2, 0.3, 0.4])


def test_readout_shares_the_target_embedding_and_every_parameter_learns():
    model = build()
    assert model.readout.weight is model.target_embedding.weight
    model(tokens(11, 2, 6), tokens(9, 2, 5)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_describe_rebuilds_it():
    model = build(dropout=0.1, norm="post", activation="gelu", pad=3)
    again = rebuild(describe(model)).double().eval()
    again.load_state_dict(model.state_dict())
    source, target = tokens(11, 2, 6), tokens(9, 2, 5)
    assert torch.equal(again(source, target), model(source, target))


def test_refuses_more_tokens_than_its_context():
    with pytest.raises(ValueError, match="positions must lie below context=12, got 13 tokens"):
        build()(tokens(11, 1, 13), tokens(9, 1, 2))


@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "rotary"])
def test_options_are_those_of_the_parts(positions):
    model = Transformer(
        9, 7, 12, dim=8, num_layers=3, num_decoder_layers=1, num_heads=2, hidden_dim=5, positions=positions
    )  # fmt: skip
    assert (len(model.encoder.blocks), len(model.decoder.blocks)) == (3, 1)
    for block in (*model.encoder.blocks, *model.decoder.blocks):
        assert block.feed_forward.widen.out_features == 5
    source, target = torch.randint(1, 9, (2, 6)), torch.randint(1, 7, (2, 5))
    model.eval()
    out = model(source, target)
    turned = model(source.flip(1), target)
    assert (out - turned).abs().max() > 1e-4  # it knows about order
    state, steps = model.start(source), []
    for token in target.unbind(1):
        logits, state = model.step(state, token)
        steps.append(logits)
    torch.testing.assert_close(torch.stack(steps, 1), out, atol=1e-5, rtol=1e-4)


def test_unknown_positions_and_long_sources_are_refused():
    with pytest.raises(InvalidValue, match="Transformer: positions must be one of learned"):
        Transformer(9, 7, 12, positions="learnt")
    model = Transformer(9, 7, 4, dim=8, num_heads=2, positions="rotary")
    with pytest.raises(InvalidValue, match="Transformer"):
        model(torch.ones(1, 5, dtype=torch.long), torch.ones(1, 2, dtype=torch.long))
