"""Blocks: shortcuts, norms, PyTorch's own layers."""

import re

import pytest
import torch
from torch import nn

from gradatim.nn import DecoderBlock, EncoderBlock, FeedForward, Shortcut, causal_mask


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def copy_attention(ours, theirs):
    theirs.in_proj_weight.data.copy_(ours.project.weight)
    theirs.in_proj_bias.data.copy_(ours.project.bias)
    theirs.out_proj.load_state_dict(ours.merge.state_dict())


def copy_feed_forward(ours, theirs):
    theirs.linear1.load_state_dict(ours.feed_forward.widen.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.narrow.state_dict())


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_encoder_block_equals_that_of_pytorch(norm, activation):
    ours = EncoderBlock(8, 2, hidden_dim=20, norm=norm, activation=activation).double()
    theirs = nn.TransformerEncoderLayer(
        8, 2, 20, dropout=0.0, activation=activation, batch_first=True, norm_first=norm == "pre"
    ).double()
    copy_attention(ours.attention, theirs.self_attn)
    copy_feed_forward(ours, theirs)
    x = randn(3, 5, 8)
    torch.testing.assert_close(ours(x), theirs(x))


@pytest.mark.parametrize("norm", ["pre", "post"])
def test_decoder_block_equals_that_of_pytorch(norm):
    ours = DecoderBlock(8, 2, hidden_dim=20, norm=norm, activation="relu").double()
    theirs = nn.TransformerDecoderLayer(
        8, 2, 20, dropout=0.0, batch_first=True, norm_first=norm == "pre"
    ).double()
    copy_attention(ours.attention, theirs.self_attn)
    copy_attention(ours.cross_attention, theirs.multihead_attn)
    copy_feed_forward(ours, theirs)
    x, memory = randn(3, 5, 8), randn(3, 7, 8, seed=1)
    expected = theirs(x, memory, tgt_mask=~causal_mask(5))
    torch.testing.assert_close(ours(x, memory), expected)


def test_feed_forward_is_the_same_map_at_every_position():
    layer, x = FeedForward(4, 9, activation="relu").double(), randn(2, 3, 4)
    for b in range(2):
        for t in range(3):
            hidden = (layer.widen.weight @ x[b, t] + layer.widen.bias).clamp(min=0)
            expected = layer.narrow.weight @ hidden + layer.narrow.bias
            torch.testing.assert_close(layer(x)[b, t], expected)


def test_pre_norm_blocks_without_branches_are_the_identity():
    block, x = EncoderBlock(8, 2), torch.randn(2, 3, 8)
    for last in (block.attention.merge, block.feed_forward.narrow):
        nn.init.zeros_(last.weight)
    assert torch.equal(block(x), x)


def test_stochastic_depth_leaves_out_branches_of_single_samples():
    block, x = EncoderBlock(8, 2, drop=0.5), torch.randn(400, 3, 8)
    untouched = (block(x) == x).flatten(1).all(1).float().mean().item()
    assert untouched == pytest.approx(0.25, abs=0.1)  # both branches
    assert torch.equal(block.eval()(x), block(x))


def test_gradient_reaches_every_parameter():
    block = DecoderBlock(8, 2, is_rotary=True)
    block(torch.randn(2, 3, 8), torch.randn(2, 4, 8)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in block.parameters())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"norm": "both"}, "Shortcut: norm must be one of"),
        ({"dropout": 1.0}, "Shortcut: dropout must be in [0, 1), got 1.0. Try 0.1."),
        ({"drop": 1.0}, "drop must be in [0, 1), got 1.0"),
    ],
)
def test_refuses_by_message(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Shortcut(4, **arguments)
