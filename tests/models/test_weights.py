"""Weights are loaded whole or not at all."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import check_weights, load_weights


def test_weights_that_fit_are_loaded():
    model, other = nn.Linear(3, 2), nn.Linear(3, 2)
    load_weights("load", model, other.state_dict())
    assert torch.equal(model.weight, other.weight)
    assert torch.equal(model.bias, other.bias)


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ({"weight": torch.zeros(2, 3)}, r"bias missing instead of \(2,\)"),
        (
            {"weight": torch.zeros(2, 3), "bias": torch.zeros(2), "more": torch.zeros(1)},
            r"more \(1,\) instead of nothing",
        ),
        (
            {"weight": torch.zeros(2, 4), "bias": torch.zeros(2)},
            r"weight \(2, 4\) instead of \(2, 3\)",
        ),
    ],
)
def test_weights_that_do_not_fit_change_nothing(weights, sentence):
    model = nn.Linear(3, 2)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    message = f"load: weights must fit the model, got {sentence}. Build the model that was saved."
    with pytest.raises(InvalidValue, match=message):
        load_weights("load", model, weights)
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())


def test_three_differences_are_named_and_the_others_counted():
    model = nn.Sequential(*(nn.Linear(1, 1) for _ in range(3)))
    with pytest.raises(
        InvalidValue, match=r"2.bias missing|1.weight missing .* and 3 more\. Build"
    ):
        check_weights("load", model, {})
