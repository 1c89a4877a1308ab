"""Errors go to the winner or are shared, as autograd has it."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.backprop import average_pool_backward, max_pool_backward
from gradatim.errors import InvalidValue

POOLS = {
    ("max", 1): F.max_pool1d,
    ("max", 2): F.max_pool2d,
    ("average", 1): F.avg_pool1d,
    ("average", 2): F.avg_pool2d,
}
BACKWARD = {"max": max_pool_backward, "average": average_pool_backward}


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["max", "average"]),
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), min_size=1, max_size=2),
    st.integers(0, 3),
    st.booleans(),
)
def test_equals_autograd(kind, shape, stride, has_ties):
    generator = torch.Generator().manual_seed(0)
    size, sides = tuple(m for m, _ in shape), [m + extra for m, extra in shape]
    x = torch.randn(2, 3, *sides, generator=generator).double()
    x = x.round() if has_ties else x
    step = stride or None
    out = POOLS[kind, len(size)](x.requires_grad_(), size, step)
    delta = torch.randn(out.shape, generator=generator, dtype=torch.float64)
    (expected,) = torch.autograd.grad(out, x, delta)
    torch.testing.assert_close(BACKWARD[kind](x.detach(), delta, size, stride=step), expected)


def test_a_picture_by_hand():
    rows = [[1.0, 2.0, 5.0, 3.0], [3.0, 0.0, 1.0, 2.0], [2.0, 1.0, 3.0, 4.0], [1.0, 1.0, 2.0, 0.0]]
    x, delta = torch.tensor([[rows]]), torch.tensor([[[[10.0, 20.0], [30.0, 40.0]]]])
    winners = torch.zeros(1, 1, 4, 4)
    winners[0, 0, [1, 0, 2, 2], [0, 2, 0, 3]] = torch.tensor([10.0, 20.0, 30.0, 40.0])
    assert torch.equal(max_pool_backward(x, delta, 2), winners)
    shared = delta.repeat_interleave(2, -1).repeat_interleave(2, -2) / 4
    assert torch.equal(average_pool_backward(x, delta, 2), shared)


def test_errors_keep_their_sum():
    x, delta = torch.randn(2, 3, 7, 7), torch.randn(2, 3, 3, 3)
    for backward in BACKWARD.values():
        gradient = backward(x, delta, 3, stride=2)
        torch.testing.assert_close(gradient.sum((2, 3)), delta.sum((2, 3)))


@pytest.mark.parametrize("backward", BACKWARD.values())
def test_refusals(backward):
    name, x = backward.__name__, torch.zeros(1, 1, 4)
    with pytest.raises(InvalidValue, match=rf"{name}: x must have shape \(B, C, n\) or .*got \(4,"):
        backward(torch.zeros(4), torch.zeros(2), 2)
    with pytest.raises(InvalidValue, match=rf"{name}: size must be at most that of x, \(4,\), got"):
        backward(x, torch.zeros(1, 1, 1), 5)
    with pytest.raises(
        InvalidValue,
        match=rf"{name}: delta must have the output's shape \(1, 1, 2\), got \(1, 1, 3",
    ):
        backward(x, torch.zeros(1, 1, 3), 2)
    with pytest.raises(InvalidValue, match=rf"{name}: stride must be a whole number from 1"):
        backward(x, torch.zeros(1, 1, 3), 2, stride=0)
