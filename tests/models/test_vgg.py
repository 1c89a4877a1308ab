import re

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.models import VGG, build


def test_layers_by_hand():
    model = VGG(((2, 3), (4,)), 5, in_channels=1, dense=(6,), pooled_size=2, is_normalized=False)
    model.double().eval()
    w = [p.detach() for p in model.parameters()]
    x = torch.randn(3, 1, 8, 8, dtype=torch.float64)
    h = F.conv2d(x, w[0], w[1], padding=1).clamp(min=0)
    h = F.max_pool2d(F.conv2d(h, w[2], w[3], padding=1).clamp(min=0), 2)
    h = F.max_pool2d(F.conv2d(h, w[4], w[5], padding=1).clamp(min=0), 2)  # (3, 4, 2, 2)
    h = (h.reshape(3, 16) @ w[6].T + w[7]).clamp(min=0)
    torch.testing.assert_close(model(x), h @ w[8].T + w[9])


def test_layers_with_weights_are_counted_by_the_name():
    with torch.device("meta"):
        model = build("vgg16", num_classes=1000)
    assert sum(isinstance(m, nn.Conv2d | nn.Linear) for m in model.modules()) == 16


def test_batch_norm_takes_the_place_of_biases():
    model = VGG(((2,),), 3)
    convolution, norm, *_ = model[0]
    assert convolution.bias is None
    assert isinstance(norm, nn.BatchNorm2d)


@pytest.mark.parametrize("widths", [(), ((),), ((4, 0),)])
def test_refuses_by_message(widths):
    message = (
        f"VGG: widths must be stages of positive widths, got {widths}. Try ((32, 32), (64, 64))."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        VGG(widths)
