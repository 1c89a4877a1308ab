import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.nn.highway import HighwayLayer, carry_or_transform


def by_hand(x, W, b, WT, bT):
    """One sample, one unit at a time, tanh transform."""
    out = []
    for i, xi in enumerate(x):
        h = math.tanh(sum(w * xj for w, xj in zip(W[i], x, strict=True)) + b[i])
        t = 1 / (1 + math.exp(-sum(w * xj for w, xj in zip(WT[i], x, strict=True)) - bT[i]))
        out.append(t * h + (1 - t) * xi)
    return out


def test_equation():
    layer = HighwayLayer(4, activation="tanh").double()
    torch.nn.init.normal_(layer.linear.bias)
    torch.nn.init.normal_(layer.gate.bias)
    X = torch.randn(6, 4, dtype=torch.float64)
    parameters = [layer.linear.weight, layer.linear.bias, layer.gate.weight, layer.gate.bias]
    expected = [by_hand(x, *(p.tolist() for p in parameters)) for x in X.tolist()]
    torch.testing.assert_close(layer(X).tolist(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("activation", ["relu", "sigmoid", "tanh"])
def test_carries_its_input_at_large_negative_gate_bias(activation):
    x = torch.randn(5, 6)
    layer = HighwayLayer(6, activation=activation, gate_bias=-100.0)
    torch.testing.assert_close(layer(x), x, rtol=0, atol=1e-6)


def test_transforms_its_input_at_large_positive_gate_bias():
    x = torch.randn(5, 6)
    layer = HighwayLayer(6, gate_bias=100.0)
    torch.testing.assert_close(layer(x), torch.relu(layer.linear(x)), rtol=0, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(dim=st.integers(1, 6), bias=st.floats(-3, 3))
def test_shape_gradient_and_initial_gate(dim, bias):
    layer = HighwayLayer(dim, activation="tanh", gate_bias=bias).double()
    assert layer.gate.bias.tolist() == pytest.approx([bias] * dim)
    x = torch.randn(3, dim, dtype=torch.float64, requires_grad=True)
    assert layer(x).shape == x.shape
    assert torch.autograd.gradcheck(layer, (x,))


@settings(max_examples=30, deadline=None)
@given(st.floats(-10, 10), st.floats(-10, 10), st.floats(0, 1))
def test_mix_lies_between_carry_and_transform(x, h, gate):
    mixed = float(carry_or_transform(*(torch.tensor(v, dtype=torch.float64) for v in (x, h, gate))))
    assert mixed == pytest.approx(gate * h + (1 - gate) * x, abs=1e-12)
    assert min(x, h) - 1e-12 <= mixed <= max(x, h) + 1e-12
