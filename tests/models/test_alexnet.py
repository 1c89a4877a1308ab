"""AlexNet against the numbers of its paper."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models import AlexNet, build

SMALL = {"image_size": 67, "dense": (8,)}


def test_the_sizes_of_the_paper():
    with torch.device("meta"):
        model = build("alexnet")
    assert sum(p.numel() for p in model.parameters()) == 60_965_224
    x, neurons = torch.zeros(1, 3, 227, 227, device="meta"), {}
    for name, layer in model.stages():
        x = layer(x)
        neurons[name] = x[0].numel()
    # section 3.5 of the paper, whose first number belongs to 55 × 55 × 48 on each of two cards
    expected = {"conv1": 290_400, "conv2": 186_624, "conv3": 64_896, "conv4": 64_896, "conv5": 43_264, "flatten": 9_216, "head": 1_000}  # fmt: skip
    assert {name: neurons[name] for name in expected} == expected


def test_the_norm_between_maps_is_that_of_the_paper():
    norm = dict(AlexNet(**SMALL).stages())["norm1"]
    a = 30 * torch.randn(1, 8, 2, 2, dtype=torch.float64)
    found = norm(a)
    for c in range(8):
        near = a[0, max(c - 2, 0) : c + 3].square().sum(0)
        torch.testing.assert_close(found[0, c], a[0, c] / (2 + 1e-4 * near) ** 0.75)


def test_groups_do_not_see_each_other():
    conv = dict(AlexNet(**SMALL).stages())["conv2"]
    x = torch.randn(1, 96, 7, 7)
    other = x.clone()
    other[:, 48:] = 0
    torch.testing.assert_close(conv(x)[:, :128], conv(other)[:, :128])
    assert not torch.allclose(conv(x)[:, 128:], conv(other)[:, 128:])


def test_dropout_stands_between_dense_layers_only():
    model = AlexNet(10, image_size=67, dense=(8, 8))
    assert [type(layer) for layer in dict(model.stages())["head"]] == [
        nn.Linear, nn.ReLU, nn.Dropout, nn.Linear, nn.ReLU, nn.Dropout, nn.Linear,
    ]  # fmt: skip


def test_the_smallest_image():
    assert AlexNet(2, **SMALL)(torch.zeros(1, 3, 67, 67)).shape == (1, 2)
    with pytest.raises(InvalidValue, match=r"^AlexNet: image_size must be at least 67, got 66"):
        AlexNet(2, image_size=66, dense=(8,))
