"""Losses and gradients of stacked chains against autograd, network by network."""

import pytest
import torch
from torch import nn

from gradatim.losses import LOSSES
from gradatim.models import MLP
from gradatim.training.engines.stacked_chain import StackedChain
from gradatim.training.engines.stacked_module import StackedModule
from gradatim.training.engines.stacked_parameters import StackedParameters


@pytest.mark.parametrize("loss", ["cross_entropy", "mse", "bce"])
@pytest.mark.parametrize("activation", ["relu", "tanh", "sigmoid"])
@pytest.mark.parametrize("engine", ["chain", "module"])
def test_gradients_of_padded_batches(loss, activation, engine):
    generator = torch.Generator().manual_seed(0)
    models = [MLP((4, 6, 5, 3), activation=activation).double() for _ in range(3)]
    stack, function = StackedParameters(models), LOSSES[loss]
    counts = [7, 4, 0]
    x = torch.randn(3, 7, 4, generator=generator, dtype=torch.float64)
    if loss == "cross_entropy":
        y = torch.randint(0, 3, (3, 7), generator=generator)
    else:
        y = torch.rand(3, 7, 3, generator=generator, dtype=torch.float64)
    weight = torch.zeros(3, 7, dtype=torch.float64)
    for k, count in enumerate(counts):
        weight[k, :count] = 1 / max(count, 1)
    if engine == "chain":
        stacked = StackedChain(models[0], function, stack, rows=7, generators=[generator] * 3)
    else:
        stacked = StackedModule(models[0], function, stack, rows=7)
    targets, weights = stacked.prepare(y.unsqueeze(0), weight.unsqueeze(0))
    trace = stacked.gradients(x, targets[0], weights[0], counts)
    losses = stacked.losses([trace], targets, weights)[0]
    for k, (model, count) in enumerate(zip(models, counts, strict=True)):
        if not count:
            assert losses[k] == 0
            assert all(gradient[k].eq(0).all() for gradient in stack.gradients.values())
            continue
        expected = function(model(x[k, :count]), y[k, :count])
        expected.backward()
        torch.testing.assert_close(losses[k], expected.detach())
        for name, parameter in model.named_parameters():
            torch.testing.assert_close(stack.gradients[name][k], parameter.grad)
    torch.testing.assert_close(stacked.evaluate(x, y, weight).detach(), losses)


def test_dropout_masks_are_those_of_each_generator_and_evaluation_has_none():
    models = [nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1)) for _ in range(2)]
    stack = StackedParameters(models)
    generators = [torch.Generator().manual_seed(k) for k in range(2)]
    chain = StackedChain(models[0], LOSSES["mse"], stack, rows=4, generators=generators)
    chain.dropouts[0].draw([4, 2])
    for k, count in enumerate((4, 2)):
        expected = (
            torch.empty(count, 8).bernoulli_(0.5, generator=torch.Generator().manual_seed(k)) / 0.5
        )
        assert torch.equal(chain.dropouts[0].mask[k, :count], expected)
    assert chain.dropouts[0].mask[1, 2:].eq(0).all()
    x, y, weight = torch.randn(2, 4, 3), torch.zeros(2, 4, 1), torch.full((2, 4), 0.25)
    assert torch.equal(chain.evaluate(x, y, weight), chain.evaluate(x, y, weight))
