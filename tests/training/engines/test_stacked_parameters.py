"""Rows of one matrix are the parameters of several networks."""

import torch
from torch import nn

from gradatim.training.engines.fused import ALIGNMENT
from gradatim.training.engines.stacked_parameters import StackedParameters


def networks(count=3):
    return [nn.Sequential(nn.Linear(3, 5), nn.LayerNorm(5), nn.Linear(5, 2)) for _ in range(count)]


def test_views_hold_the_parameters_and_write_gives_them_back():
    models = networks()
    stack = StackedParameters(models)
    for name in ("0.weight", "1.bias", "2.weight"):
        for k, model in enumerate(models):
            assert torch.equal(stack.views[name][k], model.get_parameter(name))
    other = networks(1)[0]
    stack.write(stack.values[1], other)
    assert all(
        torch.equal(a, b) for a, b in zip(other.parameters(), models[1].parameters(), strict=True)
    )


def test_weights_come_before_what_is_not_decayed():
    stack = StackedParameters(networks())
    for name, start in stack.starts.items():
        assert (start < stack.decayed) == name.endswith(("0.weight", "2.weight"))
        assert start % ALIGNMENT == 0


def test_gradients_are_views_too_and_rows_can_leave():
    stack = StackedParameters(networks())
    before = stack.values.clone()
    stack.gradients["0.bias"].fill_(1.0)
    assert stack.gradient.sum() == 15
    stack.keep([2, 0])
    assert torch.equal(stack.values, before[[2, 0]])
    assert stack.views["0.weight"].shape == (2, 5, 3)
