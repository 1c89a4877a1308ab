"""Each row moves as PyTorch's optimizer moves a network of its own."""

import pytest
import torch
from torch import nn

from gradatim.optim import build_optimizer
from gradatim.training.engines.stacked_optimizer import StackedOptimizer
from gradatim.training.engines.stacked_parameters import StackedParameters


@pytest.mark.parametrize("name", ["sgd", "momentum", "nesterov", "adam", "adamw"])
def test_rows_with_own_rate_decay_and_steps(name):
    models = [nn.Linear(3, 4) for _ in range(3)]
    lr, decay = [0.1, 0.02, 0.1], [0.0, 0.3, 0.1]
    stack = StackedParameters(models)
    ours = StackedOptimizer(stack, name, models[0], lr=lr, weight_decay=decay, clocks=[5, 5, 7])
    assert ours.is_supported
    theirs = [
        build_optimizer(name, m, lr=lr[k], weight_decay=decay[k]) for k, m in enumerate(models)
    ]
    generator = torch.Generator().manual_seed(0)
    for rows in ((0, 1, 2), (0, 2), (0, 1, 2), (1,)):
        factor = 1.0 / len(rows)
        for parameter in ("weight", "bias"):
            gradient = torch.randn(stack.gradients[parameter].shape, generator=generator)
            stack.gradients[parameter].copy_(gradient)
            for k, model in enumerate(models):
                model.get_parameter(parameter).grad = gradient[k].clone()
        ours.step(rows, lambda clock, factor=factor: factor)
        for k in rows:
            for group in theirs[k].param_groups:
                group["lr"] = lr[k] * factor
            theirs[k].step()
    for k, model in enumerate(models):
        torch.testing.assert_close(stack.views["weight"][k], model.weight.detach())
        torch.testing.assert_close(stack.views["bias"][k], model.bias.detach())


def test_schedules_follow_the_clock_of_each_row():
    models = [nn.Linear(2, 1) for _ in range(2)]
    stack = StackedParameters(models)
    ours = StackedOptimizer(stack, "sgd", models[0], lr=[1, 1], weight_decay=[0, 0], clocks=[2, 4])
    before = stack.views["bias"].clone()
    stack.gradient.fill_(1.0)
    ours.step((0, 1), lambda clock: 1.0 / clock)
    assert (before - stack.views["bias"]).flatten().tolist() == pytest.approx([0.5, 0.25])


def test_other_rules_are_not_supported():
    models = [nn.Linear(2, 1)]
    stack = StackedParameters(models)
    ours = StackedOptimizer(stack, "rmsprop", models[0], lr=[1], weight_decay=[0], clocks=[1])
    assert not ours.is_supported
