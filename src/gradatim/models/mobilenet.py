"""MobileNetV2: few weights and few products, by filters that each see one channel."""

from collections import OrderedDict

from torch import Tensor, nn

from gradatim.errors import require
from gradatim.models.chains import ImageChain
from gradatim.nn import initialize

# Of each stage: factor of the wide maps, channels, blocks, stride of the first.
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
MULTIPLE = 8  # of which the channels of a narrower network are multiples


def round_channels(channels: float) -> int:
    """The multiple of eight that is nearest, at least 8 and no less than nine tenths.

    Args:
        channels: As many as the width asks for.

    Example:
        >>> [round_channels(channels) for channels in (3.0, 24.0, 11.2)]
        [8, 24, 16]
    """
    nearest = max(MULTIPLE, int(channels + MULTIPLE / 2) // MULTIPLE * MULTIPLE)
    return nearest if nearest >= 0.9 * channels else nearest + MULTIPLE


def _unit(in_channels: int, out_channels: int, size: int, stride: int = 1, groups: int = 1) -> nn.Sequential:  # fmt: skip
    """Convolution, batch normalization and a ReLU that ends at 6."""
    conv = nn.Conv2d(in_channels, out_channels, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(
        OrderedDict(conv=conv, bn=nn.BatchNorm2d(out_channels), relu=nn.ReLU6(inplace=True))
    )


class InvertedResidual(nn.Module):
    r"""Widen by 1×1, filter each channel by 3×3, narrow by 1×1 without an activation; a shortcut joins the narrow ends.

    .. math:: y = x + \mathrm{BN}\bigl(N * \phi(\mathrm{BN}(D \star \phi(\mathrm{BN}(W * x))))\bigr),
        \qquad \phi(z) = \min(\max(z, 0), 6)

    :math:`\star` convolves each channel with its own filter. Where sizes or channels differ there is no shortcut, and a
    factor of 1 leaves :math:`W` out.
    """

    def __init__(self, in_channels: int, out_channels: int, stride: int, factor: int) -> None:
        super().__init__()
        wide = factor * in_channels
        self.widen = nn.Identity() if factor == 1 else _unit(in_channels, wide, 1)
        self.filter = _unit(wide, wide, 3, stride, groups=wide)
        conv = nn.Conv2d(wide, out_channels, 1, bias=False)
        self.narrow = nn.Sequential(OrderedDict(conv=conv, bn=nn.BatchNorm2d(out_channels)))
        self.has_shortcut = stride == 1 and in_channels == out_channels

    def forward(self, x: Tensor) -> Tensor:
        h = self.narrow(self.filter(self.widen(x)))  # (B, out_channels, H / stride, W / stride)
        return x + h if self.has_shortcut else h


class MobileNetV2(ImageChain):
    r"""A stem, seventeen inverted residuals in seven stages, a 1×1 convolution to 1,280 channels, their means, a readout.

    Args:
        num_classes: Number of outputs.
        width: Factor of all channels, which stay multiples of 8; the last convolution never narrows.
        in_channels: Channels of the image.
        dropout: Probability to drop an entry before the readout.

    Example:
        >>> sum(p.numel() for p in MobileNetV2().parameters())
        3504872

    Reference:
        Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks, 2018, table 2.
    """

    def __init__(
        self,
        num_classes: int = 1000,
        *,
        width: float = 1.0,
        in_channels: int = 3,
        dropout: float = 0.2,
    ) -> None:
        require(width > 0, "MobileNetV2: width must be more than 0", width, "Try 1.0.")
        channels, parts = round_channels(32 * width), OrderedDict[str, nn.Module]()
        parts["stem"] = _unit(in_channels, channels, 3, 2)
        for k, (factor, base, count, stride) in enumerate(STAGES, 1):
            stage, out_channels = nn.Sequential(), round_channels(base * width)
            for place in range(count):
                own = stride if place == 0 else 1
                stage.append(InvertedResidual(channels, out_channels, own, factor))
                channels = out_channels
            parts[f"stage{k}"] = stage
        last = round_channels(1280 * max(1.0, width))
        super().__init__(
            OrderedDict(
                **parts,
                last=_unit(channels, last, 1),
                pool=nn.AdaptiveAvgPool2d(1),
                flatten=nn.Flatten(),
                drop=nn.Dropout(dropout),
                readout=nn.Linear(last, num_classes),
            )
        )
        self.num_classes, self.width = num_classes, width
        self.in_channels, self.dropout = in_channels, dropout
        initialize(self, "he")
