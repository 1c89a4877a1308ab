import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.models import CifarResNet, ResNet
from gradatim.models.resnet import BasicBlock, Bottleneck, PadShortcut, project


def normalize(x, norm):
    """Batch norm in training, by its equation."""
    mean = x.mean((0, 2, 3), keepdim=True)
    variance = ((x - mean) ** 2).mean((0, 2, 3), keepdim=True)
    gain, shift = norm.weight.view(1, -1, 1, 1), norm.bias.view(1, -1, 1, 1)
    return (x - mean) / (variance + norm.eps).sqrt() * gain + shift


def test_basic_block_equation():
    block = BasicBlock(3, 5, 2, project(3, 5, 2)).double()
    x = torch.randn(4, 3, 6, 6, dtype=torch.float64)
    h = normalize(F.conv2d(x, block.conv1.weight, stride=2, padding=1), block.bn1).clamp(min=0)
    h = normalize(F.conv2d(h, block.conv2.weight, padding=1), block.bn2)
    convolution, norm = block.shortcut
    s = normalize(
        torch.einsum("oi,bihw->bohw", convolution.weight[..., 0, 0], x[..., ::2, ::2]), norm
    )
    torch.testing.assert_close(block(x), (h + s).clamp(min=0))


@pytest.mark.parametrize("kind", [BasicBlock, Bottleneck])
def test_a_block_without_its_branch_passes_what_is_positive(kind):
    width = 8 // kind.expansion
    block = kind(8, width, 1, project(8, 8, 1))
    nn.init.zeros_(list(block.children())[-2].weight)  # the last norm
    x = torch.randn(2, 8, 4, 4)
    torch.testing.assert_close(block(x), x.clamp(min=0))


def test_pad_shortcut_takes_every_second_pixel_and_adds_zeros():
    x = torch.arange(16.0).view(1, 1, 4, 4)
    y = PadShortcut(1, 3, 2)(x)
    assert y.shape == (1, 3, 2, 2)
    assert y[0, 1].tolist() == [[0.0, 2.0], [8.0, 10.0]]
    assert not y[0, 0].any()
    assert not y[0, 2].any()


@pytest.mark.parametrize("depth", [8, 20])
def test_depth_counts_convolutions_and_the_readout(depth):
    with torch.device("meta"):
        model = CifarResNet(depth)
    assert sum(isinstance(m, nn.Conv2d | nn.Linear) for m in model.modules()) == depth


@pytest.mark.parametrize("depth", [18, 50])
def test_depth_of_the_large_form_leaves_projections_out(depth):
    with torch.device("meta"):
        model = ResNet(depth)
    layers = [n for n, m in model.named_modules() if isinstance(m, nn.Conv2d | nn.Linear)]
    assert sum("shortcut" not in name for name in layers) == depth


def test_maps_of_the_stages():
    model, shapes = CifarResNet(8), {}
    h = torch.zeros(2, 3, 32, 32)
    for name, stage in model.stages():
        h = stage(h)
        shapes[name] = tuple(h.shape[1:])
    assert [shapes[f"stage{i}"] for i in (1, 2, 3)] == [(16, 32, 32), (32, 16, 16), (64, 8, 8)]


@pytest.mark.parametrize(
    ("kind", "depth", "message"),
    [
        (CifarResNet, 21, "CifarResNet: depth must be 6n + 2 with n from 1, got 21. Try depth=20."),
        (CifarResNet, 2, "CifarResNet: depth must be 6n + 2 with n from 1, got 2. Try depth=8."),
        (
            ResNet,
            20,
            "ResNet: depth must be one of 18, 34, 50, 101, 152, got 20. For small images try CifarResNet.",
        ),
    ],
)
def test_refuses_by_message(kind, depth, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        kind(depth)
