"""Stable functions: worked numbers, exact big-number arithmetic, extreme and empty inputs, gradients."""

import math
from decimal import Decimal, localcontext

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.nn import log1mexp, log_mean_exp, log_softmax, log_sum_exp, softmax

LOGITS = torch.tensor([2.0, 1.0, 0.1], dtype=torch.float64)


def test_worked_softmax():
    exponentials = torch.exp(LOGITS)
    assert exponentials.tolist() == pytest.approx([7.389, 2.718, 1.105], abs=5e-4)
    assert math.exp(log_sum_exp(LOGITS).item()) == pytest.approx(11.21251, abs=5e-6)
    assert softmax(LOGITS).tolist() == pytest.approx([0.659001, 0.242433, 0.098566], abs=5e-7)
    assert softmax(LOGITS).argmax() == 0


def test_worked_cross_entropy_of_each_class():
    assert (-log_softmax(LOGITS)).tolist() == pytest.approx([0.41703, 1.41703, 2.31703], abs=5e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-700, 700), min_size=1, max_size=6))
def test_against_fifty_digit_arithmetic(values):
    x = torch.tensor(values, dtype=torch.float64)
    with localcontext() as context:
        context.prec = 50
        total = sum(Decimal(value).exp() for value in values)
        expected = float(total.ln())
        probabilities = [float(Decimal(value).exp() / total) for value in values]
        logs = [float(Decimal(value) - total.ln()) for value in values]
    assert log_sum_exp(x).item() == pytest.approx(expected, rel=1e-13, abs=1e-13)
    assert softmax(x).tolist() == pytest.approx(probabilities, rel=1e-12, abs=1e-300)
    assert log_softmax(x).tolist() == pytest.approx(logs, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("size", [1e2, 1e10, 1e30])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_extreme_inputs(size, dtype):
    x = torch.tensor([[size, size, -size], [-size, -size, -size]], dtype=dtype)
    torch.testing.assert_close(
        log_sum_exp(x), torch.tensor([size + math.log(2), -size + math.log(3)], dtype=dtype)
    )
    half, third = math.log(1 / 2), math.log(1 / 3)
    expected = torch.tensor([[half, half, half - 2 * size], [third, third, third]], dtype=dtype)
    torch.testing.assert_close(log_softmax(x), expected)
    torch.testing.assert_close(softmax(x), torch.exp(expected))


@pytest.mark.parametrize("size", [1e2, 1e30])
def test_losses_from_extreme_logits(size):
    z = torch.tensor([size, -size], requires_grad=True)
    bce = F.binary_cross_entropy_with_logits(z, torch.tensor([0.0, 0.0]), reduction="none")
    assert bce.tolist() == pytest.approx([size, 0.0])
    logits = torch.stack([torch.zeros(2), z], dim=1)
    ce = F.cross_entropy(logits, torch.tensor([0, 1]), reduction="none")
    assert ce.tolist() == pytest.approx([size, size])
    (gradient,) = torch.autograd.grad(bce.sum() + ce.sum(), z)
    assert gradient.tolist() == pytest.approx([2.0, -1.0])  # probability minus target, twice


def test_two_class_softmax_is_the_sigmoid():
    z = torch.linspace(-30, 30, 61, dtype=torch.float64)
    pair = softmax(torch.stack([torch.zeros_like(z), z], dim=1))
    torch.testing.assert_close(pair[:, 1], torch.sigmoid(z))


def test_mask_equals_leaving_out():
    x = torch.tensor([[1.0, 50.0, 2.0], [3.0, 4.0, 5.0]], dtype=torch.float64)
    mask = torch.tensor([[True, False, True], [True, True, True]])
    kept = x[0, [0, 2]]
    torch.testing.assert_close(log_sum_exp(x, mask=mask)[0], torch.logsumexp(kept, 0))
    torch.testing.assert_close(softmax(x, mask=mask)[0, [0, 2]], torch.softmax(kept, 0))
    assert softmax(x, mask=mask)[0, 1] == 0
    assert log_softmax(x, mask=mask)[0, 1] == -torch.inf
    torch.testing.assert_close(softmax(x, mask=mask)[1], torch.softmax(x[1], 0))


def test_empty_rows_are_zero_with_zero_gradient():
    x = torch.zeros(2, 3, requires_grad=True)
    mask = torch.tensor([[False, False, False], [True, True, False]])
    assert log_sum_exp(x, mask=mask)[0] == -torch.inf
    weights = softmax(x, mask=mask)
    assert weights[0].tolist() == [0, 0, 0]
    (weights * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert x.grad[0].tolist() == [0, 0, 0]
    assert x.grad[1].tolist() == pytest.approx([-0.25, 0.25, 0.0])
    assert torch.isnan(torch.softmax(torch.full((3,), -torch.inf), 0)).all()  # what it avoids


def test_nan_is_not_hidden():
    x = torch.tensor([0.0, torch.nan])
    for function in (log_sum_exp, softmax, log_softmax):
        assert torch.isnan(function(x)).any()


@pytest.mark.parametrize("function", [log_sum_exp, softmax, log_softmax, log_mean_exp])
def test_gradients(function):
    x = torch.randn(3, 4, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    assert torch.autograd.gradcheck(function, x.requires_grad_())
    assert torch.autograd.gradcheck(lambda x: function(x, 0), x)


@settings(max_examples=30, deadline=None)
@given(st.floats(-200, 200))
def test_softmax_ignores_a_common_shift(shift):
    torch.testing.assert_close(softmax(LOGITS + shift), softmax(LOGITS), rtol=1e-10, atol=0)


@settings(max_examples=60, deadline=None)
@given(st.floats(-100, -1e-12))
def test_log1mexp_against_fifty_digits(x):
    with localcontext() as context:
        context.prec = 50
        expected = float((1 - Decimal(x).exp()).ln())
    assert log1mexp(torch.tensor(x, dtype=torch.float64)).item() == pytest.approx(
        expected, rel=1e-13
    )


def test_log1mexp_gradient():
    x = torch.tensor([-1e-3, -0.5, -0.7, -20.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(log1mexp, x)


def test_log_mean_exp_of_equal_values():
    x = torch.full((5,), -1e4, dtype=torch.float64)
    assert log_mean_exp(x).item() == pytest.approx(-1e4)
