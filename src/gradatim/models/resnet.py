"""Residual networks: convolutions that learn a change of their input."""

from collections import OrderedDict
from collections.abc import Callable, Sequence

import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.errors import InvalidValue
from gradatim.models.chains import ImageChain
from gradatim.nn import initialize


class PadShortcut(nn.Module):
    """Take every ``stride``-th pixel and add channels of zeros; no weights."""

    def __init__(self, in_channels: int, out_channels: int, stride: int) -> None:
        super().__init__()
        self.more, self.stride = out_channels - in_channels, stride

    def forward(self, x: Tensor) -> Tensor:
        before = self.more // 2
        return F.pad(
            x[..., :: self.stride, :: self.stride], (0, 0, 0, 0, before, self.more - before)
        )


def pad(in_channels: int, out_channels: int, stride: int) -> nn.Module:
    """Option A of the paper: zeros where shapes differ, the identity elsewhere."""
    return PadShortcut(in_channels, out_channels, stride) if stride > 1 else nn.Identity()


def project(in_channels: int, out_channels: int, stride: int) -> nn.Module:
    """Option B: a 1×1 convolution where shapes differ, the identity elsewhere."""
    if stride == 1 and in_channels == out_channels:
        return nn.Identity()
    conv = nn.Conv2d(in_channels, out_channels, 1, stride=stride, bias=False)
    return nn.Sequential(conv, nn.BatchNorm2d(out_channels))


class BasicBlock(nn.Module):
    r"""Two 3×3 convolutions around a shortcut :math:`s`.

    .. math:: y = \mathrm{relu}\bigl(s(x) + \mathrm{BN}(W_2 * \mathrm{relu}(\mathrm{BN}(W_1 * x)))\bigr)
    """

    expansion = 1

    def __init__(self, in_channels: int, width: int, stride: int, shortcut: nn.Module) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, width, 3, stride=stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.shortcut = shortcut

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.bn1(self.conv1(x)), inplace=True)  # (B, width, H / stride, W / stride)
        return F.relu(self.bn2(self.conv2(h)) + self.shortcut(x), inplace=True)


class Bottleneck(nn.Module):
    """1×1 to few channels, 3×3 there, 1×1 to four times as many, around a shortcut.

    The stride sits in the 3×3 convolution, as in later code; the paper has it in the first 1×1.
    """

    expansion = 4

    def __init__(self, in_channels: int, width: int, stride: int, shortcut: nn.Module) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, 4 * width, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(4 * width)
        self.shortcut = shortcut

    def forward(self, x: Tensor) -> Tensor:
        h = F.relu(self.bn1(self.conv1(x)), inplace=True)  # (B, width, H, W)
        h = F.relu(self.bn2(self.conv2(h)), inplace=True)  # (B, width, H / stride, W / stride)
        return F.relu(self.bn3(self.conv3(h)) + self.shortcut(x), inplace=True)  # (B, 4 width, …)


def _stages(
    block: type[BasicBlock] | type[Bottleneck],
    widths: Sequence[int],
    counts: Sequence[int],
    shortcut: Callable[[int, int, int], nn.Module],
) -> dict[str, nn.Module]:
    """Stages of ``counts`` blocks; the first block of every stage but the first halves the maps."""
    stages: dict[str, nn.Module] = {}
    channels = widths[0]
    for i, (width, count) in enumerate(zip(widths, counts, strict=True), 1):
        stage, out_channels = nn.Sequential(), block.expansion * width
        for place in range(count):
            stride = 2 if i > 1 and place == 0 else 1
            around = shortcut(channels, out_channels, stride)
            stage.append(block(channels, width, stride, around))
            channels = out_channels
        stages[f"stage{i}"] = stage
    return stages


class CifarResNet(ImageChain):
    r"""The form for small images: three stages of :math:`n` basic blocks with 16, 32 and 64 channels.

    Depth :math:`6n+2`; maps of size 32, 16 and 8 for images of 32×32; shortcuts without weights. Names
    ``resnet20``, ``resnet32``, ``resnet44``, ``resnet56`` and ``resnet110`` build the paper's.

    Args:
        depth: :math:`6n+2`, such as 20.
        num_classes: Number of outputs.
        in_channels: Channels of the image.

    Example:
        >>> sum(p.numel() for p in CifarResNet(20).parameters())
        269722

    Reference:
        He et al., Deep Residual Learning for Image Recognition, 2016, section 4.2.
    """

    def __init__(self, depth: int = 20, num_classes: int = 10, *, in_channels: int = 3) -> None:
        blocks, rest = divmod(depth - 2, 6)
        if blocks < 1 or rest:
            raise InvalidValue(
                f"CifarResNet: depth must be 6n + 2 with n from 1, got {depth}. "
                f"Try depth={6 * max(blocks, 1) + 2}."
            )
        stages = _stages(BasicBlock, (16, 32, 64), (blocks,) * 3, pad)
        super().__init__(
            OrderedDict(
                conv=nn.Conv2d(in_channels, 16, 3, padding=1, bias=False),
                bn=nn.BatchNorm2d(16),
                relu=nn.ReLU(inplace=True),
                **stages,
                pool=nn.AdaptiveAvgPool2d(1),
                flatten=nn.Flatten(),
                readout=nn.Linear(64, num_classes),
            )
        )
        self.depth, self.num_classes, self.in_channels = depth, num_classes, in_channels
        initialize(self, "he")


# depth: block, number of blocks in the four stages
FORMS: dict[int, tuple[type[BasicBlock] | type[Bottleneck], tuple[int, int, int, int]]] = {
    18: (BasicBlock, (2, 2, 2, 2)),
    34: (BasicBlock, (3, 4, 6, 3)),
    50: (Bottleneck, (3, 4, 6, 3)),
    101: (Bottleneck, (3, 4, 23, 3)),
    152: (Bottleneck, (3, 8, 36, 3)),
}


class ResNet(ImageChain):
    """The form for large images: a 7×7 stem, four stages with 64 to 512 channels, projections.

    Names ``resnet18``, ``resnet34``, ``resnet50``, ``resnet101`` and ``resnet152`` build the paper's.

    Args:
        depth: 18, 34, 50, 101 or 152.
        num_classes: Number of outputs.
        in_channels: Channels of the image.

    Example:
        >>> sum(p.numel() for p in ResNet(18, 1000).parameters())
        11689512

    Reference:
        He et al., Deep Residual Learning for Image Recognition, 2016, table 1.
    """

    def __init__(self, depth: int = 18, num_classes: int = 1000, *, in_channels: int = 3) -> None:
        if depth not in FORMS:
            raise InvalidValue(
                f"ResNet: depth must be one of {', '.join(map(str, FORMS))}, got {depth}. "
                "For small images try CifarResNet."
            )
        block, counts = FORMS[depth]
        stages = _stages(block, (64, 128, 256, 512), counts, project)
        super().__init__(
            OrderedDict(
                conv=nn.Conv2d(in_channels, 64, 7, stride=2, padding=3, bias=False),
                bn=nn.BatchNorm2d(64),
                relu=nn.ReLU(inplace=True),
                maxpool=nn.MaxPool2d(3, stride=2, padding=1),
                **stages,
                pool=nn.AdaptiveAvgPool2d(1),
                flatten=nn.Flatten(),
                readout=nn.Linear(512 * block.expansion, num_classes),
            )
        )
        self.depth, self.num_classes, self.in_channels = depth, num_classes, in_channels
        initialize(self, "he")
