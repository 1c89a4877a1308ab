"""Where a loss that is not finite comes from, found without a trainer."""

import pytest
import torch
from torch import nn

from gradatim.models import MLP
from gradatim.training import NonFiniteError, explain_bad_loss
from gradatim.training.health import check_parameters


def network():
    torch.manual_seed(0)
    return MLP((2, 3, 1)), (torch.randn(4, 2), torch.randn(4, 1))


def explain(model, batch, **place):
    return explain_bad_loss(model, batch, lambda: model(*batch[:-1]), **place)


def test_the_causes_in_their_order():
    model, batch = network()
    error = explain(model, batch, epoch=3, number=7)
    assert isinstance(error, NonFiniteError)
    assert (error.epoch, error.batch, error.layer) == (3, 7, "loss")
    assert "the loss is not finite at epoch 3, batch 7: all outputs are finite, but" in str(error)
    batch[0][1, 0] = float("nan")
    assert explain(model, batch).layer == "input"
    model[2].bias.data.fill_(float("inf"))
    assert "weights overflowed in layer '2' (Linear)" in str(explain(model, batch))
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    model[0].weight.grad.fill_(float("nan"))
    assert "gradient went bad one batch earlier in layer '0' (Linear)" in str(explain(model, batch))


def test_other_figures_are_called_by_their_name():
    model, batch = network()
    error = explain(model, batch, figure="critic_loss")
    assert "critic_loss is not finite at epoch 1, batch 1" in str(error)
    assert error.layer == "critic_loss"


def test_a_forward_pass_that_needs_gradients_still_shows_its_outputs():
    class Log(nn.Module):
        def forward(self, x):
            return -x.abs().sqrt().log().abs().log().abs() / 0

    model = nn.Sequential(nn.Linear(2, 2), Log())
    batch = (torch.ones(3, 2), torch.ones(3))
    error = explain_bad_loss(model, batch, lambda: model(batch[0]).sum().backward())
    assert error.layer == "1"


def test_parameters_are_checked_by_place():
    model, _ = network()
    check_parameters(model, epoch=1, number=1)
    model[2].weight.data[0, 0] = float("nan")
    with pytest.raises(NonFiniteError, match="the update at epoch 2, batch 5 is not finite, first in layer '2'"):  # fmt: skip
        check_parameters(model, epoch=2, number=5)
