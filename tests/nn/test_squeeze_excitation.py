"""Weights of maps from the mean of each."""

import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.nn import SqueezeExcitation


def test_the_equation():
    torch.manual_seed(0)
    layer = SqueezeExcitation(4, reduction=2).double()
    x = torch.randn(2, 4, 3, 5, dtype=torch.float64)
    found = layer(x)
    for b in range(2):
        z = [x[b, c].sum().item() / 15 for c in range(4)]
        hidden = [max(sum(layer.squeeze.weight[k, c].item() * z[c] for c in range(4)) + layer.squeeze.bias[k].item(), 0) for k in range(2)]  # fmt: skip
        for c in range(4):
            a = sum(layer.excite.weight[c, k].item() * hidden[k] for k in range(2)) + layer.excite.bias[c].item()  # fmt: skip
            torch.testing.assert_close(found[b, c], x[b, c] / (1 + math.exp(-a)))


def test_where_things_are_does_not_matter():
    layer, x = SqueezeExcitation(4), torch.randn(2, 4, 6, 6)
    torch.testing.assert_close(layer(x.roll((2, 3), (2, 3))), layer(x).roll((2, 3), (2, 3)))


def test_zero_weights_halve_everything():
    layer, x = SqueezeExcitation(4), torch.randn(2, 4, 3, 3)
    for parameter in layer.parameters():
        torch.nn.init.zeros_(parameter)
    torch.testing.assert_close(layer(x), x / 2)


def test_the_gradient():
    layer = SqueezeExcitation(3, reduction=1).double()
    x = torch.randn(2, 3, 2, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x,))


def test_refuses():
    with pytest.raises(InvalidValue, match=r"^SqueezeExcitation: reduction must be a whole number"):
        SqueezeExcitation(4, reduction=0)
