"""Fans against the non-zero entries of the layer's own Jacobian."""

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType
from gradatim.nn import fans

LAYERS = {
    "dense": (nn.Linear(5, 3), (5,)),
    "conv": (nn.Conv1d(2, 3, 3, padding=1), (2, 12)),
    "grouped": (nn.Conv1d(4, 6, 3, padding=1, groups=2), (4, 12)),
    "depthwise": (nn.Conv2d(3, 3, 3, padding=1, groups=3), (3, 7, 7)),
    "strided": (nn.Conv1d(2, 3, 4, stride=2, padding=1), (2, 16)),
    "dilated": (nn.Conv1d(2, 3, 3, dilation=2, padding=2), (2, 16)),
    "transposed": (nn.ConvTranspose1d(2, 5, 4, stride=2, padding=1), (2, 9)),
    "transposed grouped": (nn.ConvTranspose1d(4, 6, 3, padding=1, groups=2), (4, 9)),
    "transposed, stride 3": (nn.ConvTranspose2d(2, 1, 6, stride=3, padding=2), (2, 5, 5)),
}


@pytest.mark.parametrize(("layer", "shape"), LAYERS.values(), ids=LAYERS.keys())
def test_fans_count_the_jacobian(layer, shape):
    x = torch.randn(1, *shape, generator=torch.Generator().manual_seed(0))
    jacobian = torch.autograd.functional.jacobian(layer, x)
    output_size = layer(x).numel()
    hits = (jacobian.reshape(output_size, -1) != 0).double()
    # Units away from the border have the most weights.
    assert fans(layer).fan_in == hits.sum(1).max().item()
    assert fans(layer).fan_out == hits.sum(0).max().item()


def test_a_layer_of_ones_own_is_read_by_shape():
    layer = nn.Module()
    layer.weight = nn.Parameter(torch.zeros(7, 4))
    assert fans(layer) == (4, 7)


def test_layers_without_fans_are_refused():
    with pytest.raises(InvalidType, match=r"fans: module must be a layer with a weight.*got ReLU"):
        fans(nn.ReLU())
