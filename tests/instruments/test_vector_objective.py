"""The network as a function of one vector."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import network_objective
from gradatim.losses import cross_entropy
from gradatim.models import MLP


def test_value_and_gradient_are_those_of_the_network():
    model = MLP((3, 5, 2)).double()
    X, y = torch.randn(7, 3).double(), torch.randint(2, (7,))
    h, theta = network_objective(model, cross_entropy, X, y)
    loss = cross_entropy(model(X), y)
    loss.backward()
    theta.requires_grad_()
    value = h(theta)
    (gradient,) = torch.autograd.grad(value, theta)
    torch.testing.assert_close(value, loss)
    expected = torch.cat([p.grad.flatten() for p in model.parameters()])
    torch.testing.assert_close(gradient, expected)


def test_other_weights_do_not_touch_the_model():
    model = nn.Linear(2, 1)
    before = [p.detach().clone() for p in model.parameters()]
    h, theta = network_objective(model, lambda f, y: f.sum(), torch.ones(1, 2), torch.ones(1))
    assert h(torch.tensor([1.0, 2.0, 3.0])).item() == 6
    theta += 1
    assert all(torch.equal(p, q) for p, q in zip(model.parameters(), before, strict=True))


def test_frozen_parameters_stay_out():
    model = nn.Linear(2, 1)
    model.bias.requires_grad_(False)
    _, theta = network_objective(model, cross_entropy, torch.ones(1, 2), torch.ones(1))
    assert theta.shape == (2,)
    model.weight.requires_grad_(False)
    with pytest.raises(InvalidValue, match="network_objective: model must have a trainable"):
        network_objective(model, cross_entropy, torch.ones(1, 2), torch.ones(1))
