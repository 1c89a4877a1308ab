"""Weight normalization: the same function, gradients by the equations, a length that cannot shrink."""

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.models import MLP
from gradatim.nn.weight_normalization import bake_weights, normalize_weights


def test_the_function_stays_the_same_through_both_changes():
    model, x = MLP((4, 8, 2)), torch.randn(5, 4)
    before = model(x)
    torch.testing.assert_close(normalize_weights(model)(x), before)
    torch.testing.assert_close(normalize_weights(model)(x), before)  # twice is once
    torch.testing.assert_close(bake_weights(model)(x), before)
    assert [type(m) for m in model] == [nn.Linear, nn.ReLU, nn.Linear]


def test_gradients_by_the_equations():
    layer = normalize_weights(nn.Linear(3, 1, bias=False).double())
    gamma, v = layer.parametrizations.weight.original0, layer.parametrizations.weight.original1
    gamma.data.fill_(1.7)
    x, t = torch.randn(6, 3, dtype=torch.float64), torch.randn(6, 1, dtype=torch.float64)
    (layer(x) - t).square().mean().backward()
    w = layer.weight.detach()
    dw = 2 / 6 * (x @ w.T - t).T @ x  # (1, 3)
    torch.testing.assert_close(gamma.grad, (dw @ v.T / v.norm()).detach())
    project = torch.eye(3, dtype=torch.float64) - w.T @ w / w.square().sum()
    torch.testing.assert_close(v.grad, (gamma / v.norm() * dw @ project).detach())
    length = v.norm().item()
    with torch.no_grad():
        v -= 0.5 * v.grad
    assert v.norm().item() > length


def test_a_model_without_weights():
    with pytest.raises(GradatimError, match="must have a dense or convolutional layer, got none"):
        normalize_weights(nn.ReLU())
