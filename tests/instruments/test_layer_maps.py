"""Feature maps are the layers' own outputs."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import feature_maps


def network():
    return nn.Sequential(
        nn.Conv2d(1, 3, 3),
        nn.BatchNorm2d(3),
        nn.ReLU(inplace=True),
        nn.Sequential(nn.MaxPool2d(2), nn.Dropout(0.5)),
        nn.Flatten(),
        nn.Linear(27, 2),
    )


def test_maps_are_what_the_layers_gave():
    model, x = network(), torch.randn(2, 1, 8, 8)
    maps = feature_maps(model, x)
    assert list(maps) == ["0", "1", "2", "3.0", "3.1"]
    model.eval()
    torch.testing.assert_close(maps["0"], model[0](x))
    torch.testing.assert_close(maps["1"], model[1](model[0](x)))  # not what ReLU made of it
    torch.testing.assert_close(maps["3.1"], model[:4](x))


def test_the_model_is_left_alone():
    model, x = network(), torch.randn(2, 1, 8, 8)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    maps = feature_maps(model, x, ("3",))
    assert list(maps) == ["3"]
    assert model.training
    assert not maps["3"].requires_grad
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert not any(module._forward_hooks for module in model.modules())


def test_unknown_layers_are_named():
    with pytest.raises(InvalidValue, match=r"layers must name modules .*got '3\.4'. Try '3"):
        feature_maps(network(), torch.randn(2, 1, 8, 8), ("3.4",))
    with pytest.raises(InvalidValue, match=r"got 'conv'; it has none"):
        feature_maps(nn.ReLU(), torch.randn(2, 1, 8, 8), ("conv",))
