"""DenseNet: every layer reads the maps of all layers before it."""

from collections import OrderedDict

from torch import nn

from gradatim.errors import InvalidValue
from gradatim.models.chains import ImageChain
from gradatim.nn import DenseConnection, initialize


def _layer(channels: int, growth: int) -> nn.Module:
    """Norm, ReLU, 1×1 convolution to four times ``growth``, norm, ReLU, 3×3 convolution to ``growth``."""
    narrow = 4 * growth
    return DenseConnection(
        nn.Sequential(
            nn.BatchNorm2d(channels),
            nn.ReLU(inplace=True),
            nn.Conv2d(channels, narrow, 1, bias=False),
            nn.BatchNorm2d(narrow),
            nn.ReLU(inplace=True),
            nn.Conv2d(narrow, growth, 3, padding=1, bias=False),
        )
    )


def _transition(channels: int, out_channels: int) -> nn.Module:
    """Fewer channels by a 1×1 convolution, half the size by a mean."""
    return nn.Sequential(
        nn.BatchNorm2d(channels),
        nn.ReLU(inplace=True),
        nn.Conv2d(channels, out_channels, 1, bias=False),
        nn.AvgPool2d(2),
    )


class DenseNet(ImageChain):
    r"""DenseNet-BC for small images: three dense blocks with bottlenecks, transitions that halve.

    .. math:: x_\ell = H_\ell([x_0, x_1, \ldots, x_{\ell-1}])

    Each block has :math:`(L-4)/6` layers of :math:`k` maps; a transition keeps half of the channels. The
    name ``densenet100`` builds :math:`L=100, k=12`.

    Args:
        depth: :math:`L = 6n+4`, such as 100.
        growth: :math:`k`, maps that each layer adds.
        num_classes: Number of outputs.
        in_channels: Channels of the image.

    Example:
        >>> sum(p.numel() for p in DenseNet(100, 12).parameters())
        769162

    Reference:
        Huang et al., Densely Connected Convolutional Networks, 2017, section 3.
    """

    def __init__(
        self, depth: int = 100, growth: int = 12, num_classes: int = 10, *, in_channels: int = 3
    ) -> None:
        layers, rest = divmod(depth - 4, 6)
        if layers < 1 or rest:
            raise InvalidValue(
                f"DenseNet: depth must be 6n + 4 with n from 1, got {depth}. "
                f"Try depth={6 * max(layers, 1) + 4}."
            )
        if growth < 1:
            raise InvalidValue(f"DenseNet: growth must be at least 1, got {growth}. Try 12.")
        parts, channels = OrderedDict[str, nn.Module](), 2 * growth
        for i in (1, 2, 3):
            block = nn.Sequential()
            for _ in range(layers):
                block.append(_layer(channels, growth))
                channels += growth
            parts[f"block{i}"] = block
            if i < 3:
                parts[f"transition{i}"] = _transition(channels, channels // 2)
                channels //= 2
        super().__init__(
            OrderedDict(
                conv=nn.Conv2d(in_channels, 2 * growth, 3, padding=1, bias=False),
                **parts,
                bn=nn.BatchNorm2d(channels),
                relu=nn.ReLU(inplace=True),
                pool=nn.AdaptiveAvgPool2d(1),
                flatten=nn.Flatten(),
                readout=nn.Linear(channels, num_classes),
            )
        )
        self.depth, self.growth = depth, growth
        self.num_classes, self.in_channels = num_classes, in_channels
        initialize(self, "he")
