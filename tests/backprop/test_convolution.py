"""The written-out backward pass against autograd, numbers by hand, and the transposed convolution."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.backprop import convolve_backward, correlate_backward
from gradatim.errors import InvalidValue
from gradatim.nn import adjoint_convolve, adjoint_correlate, convolve, correlate

CASES = [
    (correlate, correlate_backward, adjoint_correlate),
    (convolve, convolve_backward, adjoint_convolve),
]
MODES = ("valid", "same", "full", "circular")


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(CASES),
    st.sampled_from(MODES),
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), min_size=1, max_size=2),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_equals_autograd(case, mode, shape, stride, dilation, groups):
    forward, backward, adjoint = case
    generator = torch.Generator().manual_seed(0)
    size = [dilation * (m - 1) + 1 + extra for m, extra in shape]
    x = torch.randn(3, 2 * groups, *size, generator=generator).double().requires_grad_()
    w = torch.randn(3 * groups, 2, *[m for m, _ in shape], generator=generator)
    w = w.double().requires_grad_()
    b = torch.zeros(3 * groups, dtype=torch.float64, requires_grad=True)
    options = {"mode": mode, "stride": stride, "dilation": dilation, "groups": groups}
    out = forward(x, w, method="direct", **options) + b.view(-1, *[1] * len(size))
    delta = torch.randn(out.shape, generator=generator, dtype=torch.float64)
    found = backward(x.detach(), w.detach(), delta, **options)
    for mine, autograd in zip(found, torch.autograd.grad(out, (x, w, b), delta), strict=True):
        torch.testing.assert_close(mine, autograd)
    torch.testing.assert_close(found.input, adjoint(delta, w.detach(), tuple(size), **options))


def test_a_layer_of_pytorch():
    layer, x = torch.nn.Conv2d(3, 4, 3, stride=2, padding=1), torch.randn(2, 3, 7, 7)
    out = layer(x.requires_grad_())
    delta = torch.randn_like(out)
    expected = torch.autograd.grad(out, (x, layer.weight, layer.bias), delta)
    found = correlate_backward(x.detach(), layer.weight.detach(), delta, mode="same", stride=2)
    for mine, autograd in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, autograd, atol=1e-5, rtol=1e-4)


def test_a_filter_of_two_by_hand():
    x, w = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([4.0, 5.0])
    delta = torch.tensor([10.0, 1.0])
    # y = (4·1 + 5·2, 4·2 + 5·3); each tap met x at two places.
    found = correlate_backward(x, w, delta)
    assert found.input.tolist() == [40.0, 54.0, 5.0]
    assert found.kernel.tolist() == [12.0, 23.0]
    assert found.bias.item() == 11.0
    # y = (5·1 + 4·2, 5·2 + 4·3)
    found = convolve_backward(x, w, delta, mode="valid")
    assert found.input.tolist() == [50.0, 45.0, 4.0]
    assert found.kernel.tolist() == [23.0, 12.0]


def test_leading_axes_are_summed_over():
    x, w, delta = torch.randn(2, 3, 6), torch.randn(2), torch.randn(2, 3, 7)
    found = convolve_backward(x, w, delta)
    alone = [convolve_backward(x[i, j], w, delta[i, j]) for i in range(2) for j in range(3)]
    torch.testing.assert_close(found.kernel, sum(each.kernel for each in alone))
    torch.testing.assert_close(found.bias, delta.sum())
    torch.testing.assert_close(found.input[1, 2], alone[-1].input)


def test_no_error_no_gradient():
    x, w = torch.randn(1, 1, 5, 5), torch.randn(1, 1, 2, 2)
    found = correlate_backward(x, w, torch.zeros_like(F.conv2d(x, w)))
    assert all(not each.any() for each in found)


def test_errors():
    x, w = torch.zeros(2, 1, 5), torch.zeros(3, 1, 2)
    with pytest.raises(
        InvalidValue, match=r"correlate_backward: delta must have the output's shape \(2, 3, 4\)"
    ):
        correlate_backward(x, w, torch.zeros(2, 3, 5))
    with pytest.raises(
        InvalidValue, match=r"convolve_backward: delta must .*shape \(6,\), got \(5"
    ):
        convolve_backward(torch.zeros(5), torch.zeros(2), torch.zeros(5))
