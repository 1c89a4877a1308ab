"""Attention: the equation, its laws, PyTorch's own layer."""

import math
import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.nn import (
    KeyValueCache,
    MultiHeadAttention,
    attend,
    attention_weights,
    causal_mask,
    mask_from_pytorch,
    padding_mask,
)
from gradatim.randomness import seeded


def source(seed=0):
    return torch.Generator().manual_seed(seed)


def randn(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=source(seed), dtype=dtype)


def slow_attention(query, key, value, mask):
    """The equation for one head, entry by entry."""
    T, S = len(query), len(key)
    weights, out = torch.zeros(T, S, dtype=query.dtype), torch.zeros(T, value.shape[1]).double()
    for t in range(T):
        scores = [
            math.exp(float(query[t] @ key[s]) / math.sqrt(query.shape[1])) if mask[t, s] else 0.0
            for s in range(S)
        ]
        for s in range(S):
            weights[t, s] = scores[s] / sum(scores) if sum(scores) else 0.0
            out[t] += weights[t, s] * value[s]
    return weights, out


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 5), st.integers(1, 6), st.integers(0, 10_000), st.booleans())
def test_the_equation_under_any_mask(T, S, seed, is_causal):
    query, key, value = (
        randn(T, 3, seed=seed),
        randn(S, 3, seed=seed + 1),
        randn(S, 2, seed=seed + 2),
    )
    mask = torch.rand(T, S, generator=source(seed)) < 0.6
    whole = mask & causal_mask(T, S) if is_causal and S >= T else mask
    is_causal = is_causal and S >= T
    weights, out = slow_attention(query, key, value, whole)
    torch.testing.assert_close(attention_weights(query, key, mask=whole), weights)
    result = attend(query[None], key[None], value[None], mask=mask, is_causal=is_causal)[0]
    torch.testing.assert_close(result, out)


def test_rank_of_the_scores_is_at_most_the_width_of_a_head_but_not_that_of_the_weights():
    query, key = randn(12, 3), randn(12, 3, seed=1)
    scores = query @ key.T
    assert torch.linalg.matrix_rank(scores).item() == 3
    assert torch.linalg.matrix_rank(attention_weights(query, key)).item() == 12


@pytest.mark.parametrize("width", [4, 64, 1024])
def test_scaled_scores_of_standard_normals_have_variance_one(width):
    query, key = randn(300, width), randn(300, width, seed=1)
    scores = query @ key.T
    assert scores.var().item() == pytest.approx(width, rel=0.05)
    assert (scores / math.sqrt(width)).var().item() == pytest.approx(1.0, rel=0.05)


def test_scores_of_a_fresh_layer_start_at_variance_one():
    layer = MultiHeadAttention(256, 4).double()
    query, key, _ = layer._projections(randn(8, 64, 256), None, None)
    scores = query @ key.transpose(-2, -1) / math.sqrt(64)
    assert scores.var().item() == pytest.approx(1.0, rel=0.1)


def peers(dim, num_heads):
    """Our layer and PyTorch's, with the same weights."""
    ours = MultiHeadAttention(dim, num_heads).double().eval()
    theirs = nn.MultiheadAttention(dim, num_heads, batch_first=True).double().eval()
    with torch.no_grad():
        for bias in (ours.project.bias, ours.merge.bias):
            bias.normal_(generator=source(5))
        theirs.in_proj_weight.copy_(ours.project.weight)
        theirs.in_proj_bias.copy_(ours.project.bias)
        theirs.out_proj.weight.copy_(ours.merge.weight)
        theirs.out_proj.bias.copy_(ours.merge.bias)
    return ours, theirs


def test_equals_the_layer_of_pytorch():
    ours, theirs = peers(12, 3)
    x, memory = randn(2, 5, 12), randn(2, 7, 12, seed=1)
    seen = []
    ours.observer = seen.append
    for key, lengths in ((x, [5, 3]), (memory, [7, 2])):
        mask = padding_mask(torch.tensor(lengths), key.shape[1])
        expected, weights = theirs(
            x, key, key, key_padding_mask=~mask[:, 0, 0], average_attn_weights=False
        )
        out = ours(x, mask=mask) if key is x else ours(x, key, mask=mask)
        torch.testing.assert_close(out, expected)
        torch.testing.assert_close(seen.pop(), weights)
    causal = MultiHeadAttention(12, 3, is_causal=True).double().eval()
    causal.load_state_dict(ours.state_dict())
    expected, _ = theirs(x, x, x, attn_mask=~causal_mask(5), need_weights=False)
    torch.testing.assert_close(causal(x), expected)


def test_permuting_the_inputs_permutes_the_outputs():
    layer, x, order = MultiHeadAttention(8, 2).double(), randn(2, 6, 8), torch.randperm(6)
    torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order])
    memory = randn(2, 5, 8, seed=1)
    torch.testing.assert_close(layer(x, memory[:, torch.randperm(5)]), layer(x, memory))
    turned = MultiHeadAttention(8, 2, is_rotary=True).double()
    assert not torch.allclose(turned(x[:, order]), turned(x)[:, order])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 5), st.integers(0, 1000), st.booleans(), st.booleans())
def test_no_future_leaks_under_any_mask_and_padding(t, seed, is_rotary, is_masked):
    layer = MultiHeadAttention(8, 2, is_causal=True, is_rotary=is_rotary).double()
    x = randn(3, 6, 8, seed=seed)
    mask = None
    if is_masked:
        mask = torch.rand(3, 1, 6, 6, generator=source(seed)) < 0.7
        mask = mask & padding_mask(torch.tensor([6, 4, 1]), 6)
    other = x.clone()
    other[:, t + 1 :] += 5 * randn(3, 5 - t, 8, seed=seed + 1)
    before, after = layer(x, mask=mask), layer(other, mask=mask)
    assert torch.equal(before[:, : t + 1], after[:, : t + 1])


def test_gradients_do_not_reach_the_future():
    layer, x = MultiHeadAttention(8, 2, is_causal=True).double(), randn(1, 6, 8).requires_grad_()
    (gradient,) = torch.autograd.grad(layer(x)[:, 2].sum(), x)
    assert gradient[:, :3].abs().sum() > 0
    assert gradient[:, 3:].abs().sum() == 0


def test_what_is_padded_does_not_matter_and_a_row_of_padding_gives_no_nan():
    layer, x = MultiHeadAttention(8, 2).double(), randn(3, 6, 8)
    mask = padding_mask(torch.tensor([6, 4, 0]), 6)
    other = x.clone()
    other[1, 4:] = 1e3
    other[2] = -1e3
    out = layer(x, mask=mask)
    torch.testing.assert_close(out[0], layer(other, mask=mask)[0])
    torch.testing.assert_close(out[1, :4], layer(other, mask=mask)[1, :4])
    torch.testing.assert_close(out[2], layer.merge.bias.expand(6, 8))
    x.requires_grad_()
    layer(x, mask=mask).square().sum().backward()
    assert x.grad.isfinite().all()
    assert all(p.grad.isfinite().all() for p in layer.parameters())


@pytest.mark.parametrize("is_rotary", [False, True])
def test_piece_by_piece_with_a_cache_equals_all_at_once(is_rotary):
    layer = MultiHeadAttention(8, 2, is_causal=True, is_rotary=is_rotary).double()
    x = randn(2, 7, 8)
    cache = KeyValueCache(2, 2, 9, 4, like=x)
    pieces = [layer(piece, cache=cache) for piece in x.split([3, 1, 2, 1], dim=1)]
    torch.testing.assert_close(torch.cat(pieces, dim=1), layer(x))


def test_a_remembered_memory_is_the_memory():
    layer, x, memory = MultiHeadAttention(8, 2).double(), randn(2, 3, 8), randn(2, 5, 8, seed=1)
    torch.testing.assert_close(layer(x, layer.remember(memory)), layer(x, memory))


def test_gradient():
    layer = MultiHeadAttention(4, 2, is_causal=True, is_rotary=True).double()
    x = randn(2, 3, 4).requires_grad_()
    assert torch.autograd.gradcheck(layer, (x,))


def test_dropout_acts_in_training_only_and_keeps_the_mean():
    layer, x = MultiHeadAttention(8, 2, dropout=0.5), randn(1, 4, 8).float()
    with seeded(0):
        assert not torch.equal(layer(x), layer(x))
        drawn = torch.stack([layer(x) for _ in range(2000)]).mean(0)
    torch.testing.assert_close(drawn, layer.eval()(x), atol=0.1, rtol=0.1)
    assert torch.equal(layer(x), layer(x))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (100, 8),
            "MultiHeadAttention: dim must be divisible by num_heads, got dim=100, num_heads=8. Try num_heads=10.",
        ),
        ((8, 0), "got dim=8, num_heads=0. Try num_heads=1."),
    ],
)
def test_refuses_heads_that_do_not_divide(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        MultiHeadAttention(*arguments)


def test_refuses_dropout_of_one():
    with pytest.raises(ValueError, match=re.escape("dropout must be in [0, 1), got 1.0. Try")):
        MultiHeadAttention(8, 2, dropout=1.0)


@pytest.mark.parametrize("is_float", [False, True])
def test_masks_of_pytorch_under_their_name_give_its_layer(is_float):
    """True, or minus infinity, is what nobody may see there; a query keeps at least its own key."""
    ours, theirs = peers(12, 3)
    x = randn(2, 5, 12)
    hidden = torch.rand(5, 5, generator=source(3)) < 0.5
    hidden.fill_diagonal_(False)
    padding = torch.tensor([[False] * 5, [False, False, False, True, True]])
    if is_float:
        hidden, padding = (
            torch.zeros(m.shape, dtype=x.dtype).masked_fill(m, -torch.inf)
            for m in (hidden, padding)
        )
    for masks in (
        {"attn_mask": hidden},
        {"key_padding_mask": padding},
        {"attn_mask": hidden, "key_padding_mask": padding},
    ):
        expected, _ = theirs(x, x, x, need_weights=False, **masks)
        seen = (mask_from_pytorch(**masks) & torch.ones(2, 1, 5, 5, dtype=torch.bool)).any(-1)[:, 0]
        found = ours(x, mask=mask_from_pytorch(**masks))
        torch.testing.assert_close(found[seen], expected[seen])


@pytest.mark.parametrize(
    ("mask", "error", "message"),
    [
        (torch.zeros(5, 5), TypeError, r"attend: mask must be booleans, True where a query may see a key, got torch.float32. Try mask.bool\(\), or mask_from_pytorch"),
        (torch.ones(5, 5, dtype=torch.long), TypeError, "got torch.int64"),
        (torch.ones(2, 5, dtype=torch.bool), ValueError, r"attend: mask must broadcast to \(2, 2, 5, 5\), got shape \(2, 5\). A mask of keys \(B, S\) is mask\[:, None, None\]"),
        (torch.ones(1, 2, 2, 5, 5, dtype=torch.bool), ValueError, "mask must broadcast"),
    ],
)  # fmt: skip
def test_a_mask_of_another_kind_is_refused(mask, error, message):
    with pytest.raises(error, match=message):
        MultiHeadAttention(8, 2)(torch.randn(2, 5, 8), mask=mask)
    with pytest.raises(error, match=message.replace("attend", "attention_weights")):
        attention_weights(torch.randn(2, 2, 5, 4), torch.randn(2, 2, 5, 4), mask=mask)


@pytest.mark.parametrize(
    ("masks", "message"),
    [
        ({}, "one mask or both must be given, got none"),
        ({"attn_mask": torch.ones(2, 2)}, "attn_mask must be booleans, or floats that are 0 and minus infinity"),
        ({"key_padding_mask": torch.ones(2, 2, 2, dtype=torch.bool)}, r"key_padding_mask must have shape \(B, S\), got \(2, 2, 2\)"),
    ],
)  # fmt: skip
def test_masks_that_are_not_pytorchs_are_refused(masks, message):
    with pytest.raises(ValueError, match=message):
        mask_from_pytorch(**masks)
