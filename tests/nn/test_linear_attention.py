"""Linear attention: its sums one by one, its form as a recurrent network, and what it cannot hold."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.nn import linear_attention


def randn(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def phi(z):
    return z + 1 if z > 0 else math.exp(z)


def slow(q, k, v, is_causal):
    """Weights pair by pair."""
    rows = []
    for t, query in enumerate(q.tolist()):
        seen = range(t + 1) if is_causal else range(len(k))
        w = [sum(phi(a) * phi(b) for a, b in zip(query, k[s].tolist(), strict=True)) for s in seen]
        rows.append([sum(w[s] * v[s, j].item() for s in seen) / sum(w) for j in range(v.shape[1])])
    return torch.tensor(rows, dtype=torch.float64)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 7), st.booleans(), st.integers(0, 5))
def test_the_equation(T, is_causal, seed):
    q, k, v = randn(T, 3, seed=seed), randn(T, 3, seed=seed + 1), randn(T, 2, seed=seed + 2)
    found = linear_attention(q[None], k[None], v[None], is_causal=is_causal)[0]
    torch.testing.assert_close(found, slow(q, k, v, is_causal))


@pytest.mark.parametrize("T", [63, 64, 65, 200])
def test_blocks_equal_the_recurrent_network(T):
    q, k, v = randn(2, T, 4), randn(2, T, 4, seed=1), randn(2, T, 3, seed=2)
    feature = torch.nn.functional.elu
    state, total, rows = torch.zeros(2, 4, 3).double(), torch.zeros(2, 4).double(), []
    for t in range(T):
        key, query = feature(k[:, t]) + 1, feature(q[:, t]) + 1
        state = state + key[:, :, None] * v[:, t, None]
        total = total + key
        rows.append((query[:, None] @ state)[:, 0] / (query * total).sum(1, keepdim=True))
    torch.testing.assert_close(linear_attention(q, k, v, is_causal=True), torch.stack(rows, 1))


def test_gradients():
    parts = [randn(1, 3, 2, seed=s).requires_grad_() for s in range(3)]
    for is_causal in (True, False):
        assert torch.autograd.gradcheck(lambda *p, c=is_causal: linear_attention(*p, is_causal=c), parts)  # fmt: skip


def test_it_averages_whatever_the_keys():
    q, k = 50 * randn(1, 9, 4), -50 * randn(1, 9, 4).abs()
    v = randn(1, 9, 2, seed=3)
    found = linear_attention(q, k, v)
    assert found.isfinite().all()
    assert (found <= v.amax(1) + 1e-9).all()
    assert (found >= v.amin(1) - 1e-9).all()
    same = linear_attention(q, k, torch.ones(1, 9, 2).double())
    torch.testing.assert_close(same, torch.ones(1, 9, 2).double())


def test_errors():
    with pytest.raises(InvalidValue, match="equal lengths with is_causal, got 2 and 3"):
        linear_attention(randn(1, 2, 2), randn(1, 3, 2), randn(1, 3, 2), is_causal=True)
    with pytest.raises(InvalidValue, match=r"key and value equal lengths, got shapes"):
        linear_attention(randn(1, 2, 2), randn(1, 3, 2), randn(1, 2, 2))
