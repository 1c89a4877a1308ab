import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.nn import AdditiveAttention, DotAttention

KINDS = {
    "additive": lambda: AdditiveAttention(3, 4, 5).double(),
    "dot": lambda: DotAttention(3, 4).double(),
}


def additive_by_loop(module, q, keys):
    scores = []
    for k in keys:
        hidden = [
            math.tanh(float(w @ q + b + u @ k))
            for w, b, u in zip(
                module.query.weight, module.query.bias, module.key.weight, strict=True
            )
        ]
        scores.append(
            sum(v * h for v, h in zip(module.score.weight[0].tolist(), hidden, strict=True))
        )
    return scores


def dot_by_loop(module, q, keys):
    return [float(q @ (module.key.weight @ k)) / math.sqrt(3) for k in keys]


@pytest.mark.parametrize(("kind", "loop"), [("additive", additive_by_loop), ("dot", dot_by_loop)])
@torch.no_grad()
def test_the_equations(kind, loop):
    torch.manual_seed(0)
    module = KINDS[kind]()
    q, keys = torch.randn(1, 3, dtype=torch.float64), torch.randn(1, 6, 4, dtype=torch.float64)
    context, weights = module(q, keys)
    scores = loop(module, q[0], keys[0])
    total = sum(math.exp(s) for s in scores)
    expected = [math.exp(s) / total for s in scores]
    assert torch.allclose(weights[0], torch.tensor(expected, dtype=torch.float64))
    assert torch.allclose(context[0], sum(a * k for a, k in zip(expected, keys[0], strict=True)))


@settings(max_examples=20, deadline=None)
@given(
    kind=st.sampled_from(list(KINDS)), lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4)
)
def test_weights_sum_to_one_and_ignore_padding(kind, lengths):
    torch.manual_seed(len(lengths))
    module = KINDS[kind]()
    B = len(lengths)
    q, keys = torch.randn(B, 3, dtype=torch.float64), torch.randn(B, 6, 4, dtype=torch.float64)
    is_real = torch.arange(6) < torch.tensor(lengths)[:, None]
    context, weights = module(q, keys, is_real)
    assert torch.allclose(weights.sum(1), torch.ones(B, dtype=torch.float64))
    assert (weights[~is_real] == 0).all()
    changed = keys.masked_fill(~is_real[..., None], 1e3)
    assert torch.equal(module(q, changed, is_real)[1], weights)
    for b, length in enumerate(lengths):
        alone, _ = module(q[b : b + 1], keys[b : b + 1, :length])
        assert torch.allclose(alone[0], context[b])


@pytest.mark.parametrize("kind", KINDS)
def test_keys_may_be_projected_once(kind):
    module = KINDS[kind]()
    q, keys = torch.randn(2, 3, dtype=torch.float64), torch.randn(2, 6, 4, dtype=torch.float64)
    assert torch.equal(module(q, keys)[0], module(q, keys, None, module.project(keys))[0])


@pytest.mark.parametrize("kind", KINDS)
def test_permuting_the_steps_permutes_the_weights(kind):
    module, order = KINDS[kind](), torch.randperm(6)
    q, keys = torch.randn(2, 3, dtype=torch.float64), torch.randn(2, 6, 4, dtype=torch.float64)
    context, weights = module(q, keys)
    other, moved = module(q, keys[:, order])
    assert torch.allclose(moved, weights[:, order])
    assert torch.allclose(other, context)


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient(kind):
    module = KINDS[kind]()
    q = torch.randn(1, 3, dtype=torch.float64, requires_grad=True)
    keys = torch.randn(1, 3, 4, dtype=torch.float64, requires_grad=True)
    is_real = torch.tensor([[True, True, False]])
    assert torch.autograd.gradcheck(lambda q, k: module(q, k, is_real)[0], (q, keys))
