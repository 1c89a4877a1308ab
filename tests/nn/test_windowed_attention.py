"""Attention within a window: the same as with a mask, at a cost that grows with length alone."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from gradatim.errors import InvalidValue
from gradatim.experiments.attention.kv_cache import attention_flops
from gradatim.nn import MultiHeadAttention, attend, attention_weights, causal_mask, window_mask


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def slow_mask(T, S, window, is_causal):
    """Who sees whom, pair by pair."""
    late = S - T
    rows = [[abs(t + late - s) < window and (s <= t + late or not is_causal) for s in range(S)] for t in range(T)]  # fmt: skip
    return torch.tensor(rows)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 13), st.integers(1, 6), st.booleans(), st.integers(0, 3))
def test_blocks_equal_the_mask(T, window, is_causal, seed):
    q, k, v = randn(2, T, 3, seed=seed), randn(2, T, 3, seed=seed + 1), randn(2, T, 2, seed=seed + 2)  # fmt: skip
    mask = slow_mask(T, T, window, is_causal)
    assert torch.equal(window_mask(T, window=window, is_causal=is_causal), mask)
    expected = attention_weights(q, k, mask=mask) @ v
    torch.testing.assert_close(attend(q, k, v, is_causal=is_causal, window=window), expected)
    some = torch.rand(T, T, generator=torch.Generator().manual_seed(seed)) < 0.7
    masked = attention_weights(q, k, mask=mask & some) @ v
    found = attend(q, k, v, mask=some, is_causal=is_causal, window=window)
    torch.testing.assert_close(found, masked)


def test_new_queries_after_old_keys():
    q, k, v = randn(1, 2, 3), randn(1, 6, 3, seed=1), randn(1, 6, 2, seed=2)
    mask = slow_mask(2, 6, 3, True)
    torch.testing.assert_close(attend(q, k, v, is_causal=True, window=3), attention_weights(q, k, mask=mask) @ v)  # fmt: skip
    assert torch.equal(window_mask(2, 6, window=9, is_causal=True), causal_mask(2, 6))


def test_gradients_even_of_gradients():
    q, k, v = (randn(1, 5, 2, seed=s).requires_grad_() for s in range(3))
    for is_causal in (True, False):

        def near(*parts, is_causal=is_causal):
            return attend(*parts, is_causal=is_causal, window=2)

        assert torch.autograd.gradcheck(near, (q, k, v))
        assert torch.autograd.gradgradcheck(near, (q, k, v))
    whole = torch.func.vmap(lambda q, k, v: attend(q, k, v, window=2))(q, k, v)
    torch.testing.assert_close(whole, attend(q, k, v, window=2))


def test_work_grows_with_length_and_not_with_its_square():
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    work = {}
    for T in (64, 128):
        x = randn(1, 1, T, 4)
        with FlopCounterMode(display=False, custom_mapping={kernel: attention_flops}) as counter:
            attend(x, x, x, is_causal=True, window=8)
        work[T] = counter.get_total_flops()
    assert 0 < work[128] == 2 * work[64]


def test_a_layer_sees_as_far_as_its_window():
    layer = MultiHeadAttention(4, 2, is_causal=True, window=3).double()
    x = randn(1, 8, 4)
    moved = x.clone()
    moved[:, 2] += 1
    is_moved = (layer(moved) - layer(x)).abs().sum(-1)[0] > 1e-9
    assert is_moved.tolist() == [False, False, True, True, True, False, False, False]
    seen = []
    layer.observer = seen.append
    layer(x)
    assert torch.equal(seen[0][0, 0] > 0, slow_mask(8, 8, 3, True))
    assert "window=3" in repr(layer)


@pytest.mark.parametrize(
    "call",
    [
        lambda: attend(randn(1, 2, 2), randn(1, 2, 2), randn(1, 2, 2), window=0),
        lambda: window_mask(3, window=0),
        lambda: MultiHeadAttention(4, 2, window=0),
    ],
)
def test_a_window_holds_something(call):
    with pytest.raises(InvalidValue, match="window must be a whole number from 1, got 0"):
        call()
