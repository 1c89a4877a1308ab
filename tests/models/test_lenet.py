import re

import pytest
import torch
import torch.nn.functional as F

from gradatim.models import LeNet


def test_layers_by_hand():
    model = LeNet().double()
    w = [p.detach() for p in model.parameters()]
    x = torch.randn(2, 1, 28, 28, dtype=torch.float64)
    h = F.max_pool2d(F.conv2d(F.pad(x, [2] * 4), w[0], w[1]).clamp(min=0), 2)
    h = F.max_pool2d(F.conv2d(h, w[2], w[3]).clamp(min=0), 2)
    assert h.shape == (2, 16, 5, 5)
    h = (h.reshape(2, 400) @ w[4].T + w[5]).clamp(min=0)
    h = (h @ w[6].T + w[7]).clamp(min=0)
    torch.testing.assert_close(model(x), h @ w[8].T + w[9])


def test_size_by_hand():
    # 25·6+6, 25·6·16+16, 400·120+120, 120·84+84, 84·10+10
    expected = 156 + 2416 + 48120 + 10164 + 850
    assert sum(p.numel() for p in LeNet().parameters()) == expected == 61706


@pytest.mark.parametrize("image_size", [12, 28, 32])
def test_other_sizes(image_size):
    model = LeNet(5, in_channels=3, image_size=image_size)
    assert model(torch.zeros(2, 3, image_size, image_size)).shape == (2, 5)


def test_too_small():
    message = "LeNet: image_size must be at least 12, got 11. Try 28."
    with pytest.raises(ValueError, match=re.escape(message)):
        LeNet(image_size=11)
