"""A U-Net that is told a time and a class: the network of diffusion and flows on images."""

from collections.abc import Iterable, Sequence
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require
from gradatim.models.condition import Condition
from gradatim.models.image_input import check_images
from gradatim.models.sizes import check_counts

GROUP = 16  # channels that are normalized together


def _norm(channels: int) -> nn.GroupNorm:
    return nn.GroupNorm(max(channels // GROUP, 1) if channels % GROUP == 0 else 1, channels)


def _stages(stages: nn.ModuleList) -> Iterable[Iterable[nn.Module]]:
    return cast(Iterable[Iterable[nn.Module]], stages)


class TimeResidual(nn.Module):
    r"""Two 3×3 convolutions around a shortcut; the condition :math:`c` scales and shifts between them.

    .. math:: y = s(x) + W_2 * \operatorname{silu}\bigl((1 + a(c)) \operatorname{GN}(W_1 * \operatorname{silu}(\operatorname{GN}(x))) + b(c)\bigr)
    """

    def __init__(self, in_channels: int, width: int, condition_dim: int, dropout: float) -> None:
        super().__init__()
        self.norm1, self.conv1 = _norm(in_channels), nn.Conv2d(in_channels, width, 3, padding=1)
        self.norm2, self.conv2 = _norm(width), nn.Conv2d(width, width, 3, padding=1)
        self.condition, self.drop = nn.Linear(condition_dim, 2 * width), nn.Dropout(dropout)
        same = in_channels == width
        self.shortcut = nn.Identity() if same else nn.Conv2d(in_channels, width, 1)
        for part in (self.condition, self.conv2):
            nn.init.zeros_(part.weight)
            assert part.bias is not None
            nn.init.zeros_(part.bias)

    def forward(self, x: Tensor, c: Tensor) -> Tensor:
        h = self.conv1(F.silu(self.norm1(x)))  # (B, width, H, W)
        scale, shift = self.condition(c)[:, :, None, None].chunk(2, dim=1)  # (B, width, 1, 1) each
        h = F.silu(torch.addcmul(shift, self.norm2(h), 1 + scale))
        return self.shortcut(x) + self.conv2(self.drop(h))


class TimeUNet(nn.Module):
    r"""From an image, a time and perhaps a class to an image as large, through few pixels and back.

    Blocks of ``patch`` × ``patch`` pixels become channels at the entrance and pixels again at the exit, so that the widest maps
    have a quarter of the pixels for ``patch=2``, which saves about three quarters of the work. Images whose sides do not halve
    often enough are padded within. It begins as zero; pixels should lie from -1 to 1.

    Args:
        in_channels: Channels of the image.
        image_size: Height and width of the image.
        num_classes: Classes that may be asked for; ``None`` for none.
        widths: Channels from the top to the bottom; the sides halve from one to the next.
        num_blocks: Residual blocks per width on the way down; as many on the way up.
        patch: Side of the blocks of pixels at the entrance.
        condition_dim: Width of what is known of time and class, even.
        dropout: Probability to *drop* an entry within a block.

    Attributes:
        sample_shape: Shape of what it makes: ``(in_channels, image_size, image_size)``.

    Example:
        >>> model = TimeUNet(1, 28, 10, widths=(16, 32))
        >>> model(torch.zeros(5, 1, 28, 28), torch.rand(5), torch.tensor([0, 1, 2, 9, 10])).shape
        torch.Size([5, 1, 28, 28])

    Reference:
        Ho et al., Denoising Diffusion Probabilistic Models, 2020; scale and shift as in Dhariwal and Nichol, Diffusion Models Beat
        GANs on Image Synthesis, 2021. There attention follows some blocks; here none does.
    """

    def __init__(
        self,
        in_channels: int = 1,
        image_size: int = 28,
        num_classes: int | None = None,
        *,
        widths: Sequence[int] = (64, 128),
        num_blocks: int = 2,
        patch: int = 2,
        condition_dim: int = 128,
        dropout: float = 0.0,
    ) -> None:
        widths = tuple(int(width) for width in widths)
        rule = "TimeUNet: widths must be one or more positive widths"
        require(widths and min(widths) >= 1, rule, widths, "Try (64, 128).")
        counts = {"image_size": image_size, "num_blocks": num_blocks, "patch": patch}
        check_counts("TimeUNet", in_channels=in_channels, **counts)
        require(0 <= dropout < 1, "TimeUNet: dropout must be in [0, 1)", dropout)
        super().__init__()
        self.in_channels, self.image_size, self.num_classes = in_channels, image_size, num_classes
        self.widths, self.num_blocks, self.patch = widths, num_blocks, patch
        self.condition_dim, self.dropout = condition_dim, dropout
        self.sample_shape = (in_channels, image_size, image_size)
        self.condition = Condition("TimeUNet", condition_dim, num_classes)
        self.first = nn.Conv2d(in_channels * patch**2, widths[0], 3, padding=1)
        before, across = widths[0], []
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        for width in widths:
            stage = nn.ModuleList()
            for _ in range(num_blocks):
                stage.append(TimeResidual(before, width, condition_dim, dropout))
                before = width
                across.append(width)
            self.down.append(stage)
        self.middle = TimeResidual(before, before, condition_dim, dropout)
        for width in reversed(widths):
            stage = nn.ModuleList()
            for _ in range(num_blocks):
                stage.append(TimeResidual(before + across.pop(), width, condition_dim, dropout))
                before = width
            self.up.append(stage)
        self.norm = _norm(before)
        self.readout = nn.Conv2d(before, in_channels * patch**2, 3, padding=1)
        nn.init.zeros_(self.readout.weight)
        assert self.readout.bias is not None
        nn.init.zeros_(self.readout.bias)

    @takes_arrays
    def forward(self, x: Tensor, time: Tensor, label: Tensor | None = None) -> Tensor:
        """Answer for images ``x``, shape ``(B, C, H, W)``, at times from 0 to 1, with classes of which the one after the last is none."""
        check_images("TimeUNet", x, self.in_channels, self.image_size)
        c = self.condition(time, label)  # (B, condition_dim)
        more = -self.image_size % (self.patch * 2 ** (len(self.widths) - 1))
        if more:
            x = F.pad(x, (0, more, 0, more))
        h = self.first(F.pixel_unshuffle(x, self.patch))  # (B, widths[0], H / patch, W / patch)
        maps = []
        for i, stage in enumerate(_stages(self.down)):
            h = F.avg_pool2d(h, 2) if i else h
            for block in stage:
                h = block(h, c)  # (B, widths[i], H / (patch 2^i), …)
                maps.append(h)
        h = self.middle(h, c)
        for i, stage in enumerate(_stages(self.up)):
            h = F.interpolate(h, scale_factor=2, mode="nearest") if i else h
            for block in stage:
                h = block(torch.cat([h, maps.pop()], dim=1), c)
        h = F.pixel_shuffle(self.readout(F.silu(self.norm(h))), self.patch)  # (B, C, H, W)
        return h[..., : self.image_size, : self.image_size]
