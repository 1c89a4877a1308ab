import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.losses import token_cross_entropy


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 999),
    lengths=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    padding=st.sampled_from([-100, 0]),
)
def test_the_mean_over_real_tokens(seed, lengths, padding):
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(len(lengths), 5, 4, generator=generator, dtype=torch.float64)
    target = torch.full((len(lengths), 5), padding)
    total, count = 0.0, 0
    for b, length in enumerate(lengths):
        for t in range(length):
            label = 1 + (b + t) % 3
            target[b, t] = label
            odds = [math.exp(v) for v in logits[b, t].tolist()]
            total -= math.log(odds[label] / sum(odds))
            count += 1
    loss = token_cross_entropy(logits, target, padding)
    assert loss.item() == pytest.approx(total / count, rel=1e-10)


def test_a_perfect_prediction_costs_nothing_and_the_gradient_is_right():
    target = torch.tensor([[1, 0, -100]])
    sure = torch.nn.functional.one_hot(target.clamp(min=0), 3) * 1e4
    assert token_cross_entropy(sure, target).item() == 0
    logits = torch.randn(1, 3, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda z: token_cross_entropy(z, target), (logits,))


@pytest.mark.parametrize("padding", [-100, 0])
def test_pure_padding_costs_nothing_and_teaches_nothing(padding):
    logits = torch.randn(2, 3, 4, requires_grad=True)
    loss = token_cross_entropy(logits, torch.full((2, 3), padding), padding)
    loss.backward()
    assert loss.item() == 0
    assert not logits.grad.any()


def test_bad_shapes_and_one_class_are_refused():
    with pytest.raises(InvalidValue, match=r"output must have shape \(2, 3, K\).* got \(2, 4, 3\)"):
        token_cross_entropy(torch.zeros(2, 4, 3), torch.zeros(2, 3, dtype=torch.long))
    with pytest.raises(InvalidValue, match="logits of at least 2 classes, got 1"):
        token_cross_entropy(torch.zeros(1, 2, 1), torch.zeros(1, 2, dtype=torch.long))
