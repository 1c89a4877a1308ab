import re

import pytest
import torch
from torch import nn

from gradatim.models import MobileNetV2
from gradatim.models.mobilenet import InvertedResidual, round_channels


def test_a_block_by_hand():
    """Widen, filter every channel by itself, narrow, add: as loops over channels and places."""
    torch.manual_seed(0)
    block = InvertedResidual(2, 2, 1, 3).double().eval()
    for part in block.modules():
        if isinstance(part, nn.BatchNorm2d):
            nn.init.normal_(part.running_mean)
            nn.init.uniform_(part.running_var, 0.5, 2.0)
            nn.init.normal_(part.weight)
            nn.init.normal_(part.bias)
    x = torch.randn(2, 4, 4, dtype=torch.float64)

    def norm(bn, h):
        gain = bn.weight / (bn.running_var + 1e-5).sqrt()
        return h * gain[:, None, None] + (bn.bias - bn.running_mean * gain)[:, None, None]

    def mix(conv, h):
        return torch.einsum("oc,chw->ohw", conv.weight[:, :, 0, 0], h)

    wide = norm(block.widen.bn, mix(block.widen.conv, x)).clamp(0, 6)
    filtered = torch.zeros_like(wide)
    for c in range(6):
        for i in range(4):
            for j in range(4):
                for a in (-1, 0, 1):
                    for b in (-1, 0, 1):
                        if 0 <= i + a < 4 and 0 <= j + b < 4:
                            weight = block.filter.conv.weight[c, 0, a + 1, b + 1]
                            filtered[c, i, j] += weight * wide[c, i + a, j + b]
    filtered = norm(block.filter.bn, filtered).clamp(0, 6)
    expected = x + norm(block.narrow.bn, mix(block.narrow.conv, filtered))
    torch.testing.assert_close(block(x[None])[0], expected)


@pytest.mark.parametrize(("channels", "stride"), [(3, 1), (2, 2)])
def test_a_shortcut_only_joins_equal_shapes(channels, stride):
    block = InvertedResidual(2, channels, stride, 6)
    for parameter in block.narrow.parameters():
        nn.init.zeros_(parameter)
    assert block(torch.ones(2, 2, 4, 4)).abs().max() == 0


def test_sizes_and_counts_of_the_paper():
    with torch.device("meta"):
        model = MobileNetV2()
        h, sizes = torch.zeros(1, 3, 224, 224), []
        for name, stage in model.stages():
            h = stage(h)
            if name in ("stem", "last") or name.startswith("stage"):
                sizes.append(tuple(h.shape[1:3]))
    assert sizes == [(32, 112), (16, 112), (24, 56), (32, 28), (64, 14), (96, 14), (160, 7), (320, 7), (1280, 7)]  # fmt: skip
    assert sum(p.numel() for p in model.parameters()) == 3_504_872


def test_widths_of_the_paper():
    # counts of the published narrower and wider networks
    counts = {0.5: 1_968_680, 1.4: 6_108_776}
    for width, count in counts.items():
        with torch.device("meta"):
            assert sum(p.numel() for p in MobileNetV2(width=width).parameters()) == count
    for channels in range(1, 400):
        rounded = round_channels(channels)
        assert rounded % 8 == 0
        assert rounded >= 0.9 * channels


def test_refuses_by_message():
    with pytest.raises(ValueError, match=re.escape("MobileNetV2: width must be more than 0, got 0. Try 1.0.")):  # fmt: skip
        MobileNetV2(width=0)
