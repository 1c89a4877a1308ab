import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.nn import ACTIVATIONS
from gradatim.nn.residual import ResidualLayer

PHI = {
    "relu": lambda z: max(z, 0.0),
    "tanh": math.tanh,
    "sigmoid": lambda z: 1 / (1 + math.exp(-z)),
    "softplus": lambda z: math.log1p(math.exp(z)),
}


def by_hand(x, V, W, b, phi):
    """One sample, one unit at a time: (Vx)_i + phi(W_i x + b_i) - phi(0)."""
    return [
        sum(v * xj for v, xj in zip(V[i], x, strict=True))
        + phi(sum(w * xj for w, xj in zip(W[i], x, strict=True)) + b[i])
        - phi(0.0)
        for i in range(len(W))
    ]


@pytest.mark.parametrize("activation", PHI)
@pytest.mark.parametrize(("n", "m"), [(3, 3), (3, 5), (4, 2)])
def test_equation(activation, n, m):
    layer = ResidualLayer(n, m, activation=activation).double()
    torch.nn.init.normal_(layer.linear.bias)
    V = torch.eye(n).tolist() if n == m else layer.shortcut.weight.tolist()
    X = torch.randn(6, n, dtype=torch.float64)
    expected = [
        by_hand(x, V, layer.linear.weight.tolist(), layer.linear.bias.tolist(), PHI[activation])
        for x in X.tolist()
    ]
    torch.testing.assert_close(layer(X).tolist(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_is_the_identity_at_zero_weights_for_every_activation(activation):
    layer = ResidualLayer(4, activation=activation)
    torch.nn.init.zeros_(layer.linear.weight)
    x = torch.randn(7, 4)
    torch.testing.assert_close(layer(x), x)


def test_projection_form_is_linear_at_zero_weights():
    layer = ResidualLayer(4, 2, activation="sigmoid")
    torch.nn.init.zeros_(layer.linear.weight)
    x = torch.randn(7, 4)
    torch.testing.assert_close(layer(x), x @ layer.shortcut.weight.T)


def test_has_a_projection_only_between_different_widths():
    assert sum(p.numel() for p in ResidualLayer(5).parameters()) == 5 * 5 + 5
    assert sum(p.numel() for p in ResidualLayer(5, 3).parameters()) == 2 * 5 * 3 + 3


@settings(max_examples=20, deadline=None)
@given(n=st.integers(1, 8), m=st.integers(1, 8), batch=st.integers(1, 5))
def test_shapes_and_gradient(n, m, batch):
    layer = ResidualLayer(n, m, activation="tanh").double()
    x = torch.randn(batch, n, dtype=torch.float64, requires_grad=True)
    assert layer(x).shape == (batch, m)
    assert torch.autograd.gradcheck(layer, (x,))


def test_gradient_of_a_deep_stack_does_not_vanish():
    x = torch.randn(16, 8, dtype=torch.float64, requires_grad=True)
    stack = torch.nn.Sequential(*(ResidualLayer(8, activation="sigmoid") for _ in range(50)))
    plain = torch.nn.Sequential(
        *(torch.nn.Sequential(layer.linear, torch.nn.Sigmoid()) for layer in stack)
    )
    (through_residual,) = torch.autograd.grad(stack.double()(x).sum(), x)
    (through_plain,) = torch.autograd.grad(plain.double()(x).sum(), x)
    assert through_residual.norm() > 1.0
    assert through_plain.norm() < 1e-10


def test_unknown_activation_is_refused():
    with pytest.raises(ValueError, match="activation: name must be one of"):
        ResidualLayer(3, activation="rely")
