import re

import pytest
import torch
from torch import nn

from gradatim.models import DenseNet
from gradatim.nn import DenseConnection


def test_every_layer_reads_all_before_it():
    model = DenseNet(16, 3)  # two layers in a block
    block = dict(model.stages())["block1"].double()
    x0 = torch.randn(2, 6, 4, 4, dtype=torch.float64)
    x1 = block[0].layer(x0)
    x2 = block[1].layer(torch.cat([x0, x1], 1))
    assert x1.shape == x2.shape == (2, 3, 4, 4)
    torch.testing.assert_close(block(x0), torch.cat([x0, x1, x2], 1))


def test_channels_by_hand():
    # 2k, + 2 layers of k, halved, + 2k, halved, + 2k with k = 4: 8, 16, 8, 16, 8, 16
    model = DenseNet(16, 4)
    h, channels = torch.zeros(1, 3, 8, 8), []
    for name, stage in model.stages():
        h = stage(h)
        if name in ("conv", "block1", "transition1", "block2", "transition2", "block3"):
            channels.append(h.shape[1])
    assert channels == [8, 16, 8, 16, 8, 16]


def test_depth_counts_convolutions_and_the_readout():
    with torch.device("meta"):
        model = DenseNet(100, 12)
    assert sum(isinstance(m, nn.Conv2d | nn.Linear) for m in model.modules()) == 100
    assert sum(isinstance(m, DenseConnection) for m in model.modules()) == 48


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"depth": 12}, "DenseNet: depth must be 6n + 4 with n from 1, got 12. Try depth=10."),
        ({"growth": 0}, "DenseNet: growth must be at least 1, got 0. Try 12."),
    ],
)
def test_refuses_by_message(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        DenseNet(**arguments)
