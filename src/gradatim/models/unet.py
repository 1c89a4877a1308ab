"""U-Net: from an image to an image, through few pixels and back."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue, choose
from gradatim.models.image_input import check_images
from gradatim.nn import initialize


def _two_convolutions(n_in: int, n_out: int, is_normalized: bool) -> nn.Sequential:
    layers: list[nn.Module] = []
    for n in (n_in, n_out):
        layers.append(nn.Conv2d(n, n_out, 3, padding=1, bias=not is_normalized))
        if is_normalized:
            layers.append(nn.BatchNorm2d(n_out))
        layers.append(nn.ReLU(inplace=True))
    return nn.Sequential(*layers)


def _transposed(n_in: int, n_out: int) -> nn.Module:
    return nn.ConvTranspose2d(n_in, n_out, 2, stride=2)


def _bilinear(n_in: int, n_out: int) -> nn.Module:
    larger = nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)
    return nn.Sequential(larger, nn.Conv2d(n_in, n_out, 1))


RISES: dict[str, Callable[[int, int], nn.Module]] = {
    "transposed": _transposed,
    "bilinear": _bilinear,
}


class UNet(nn.Module):
    r"""Halve the image and double the channels down to the bottom, then back up with shortcuts across.

    .. math:: d_0 = c_0(x), \quad d_i = c_i(\mathrm{pool}(d_{i-1})), \qquad
        u_n = d_n, \quad u_i = e_i([d_i,\, \mathrm{up}(u_{i+1})]), \qquad y = W u_0

    :math:`c_i, e_i` are two 3×3 convolutions, up is a transposed 2×2 convolution of stride 2, or bilinear interpolation and a
    1×1 convolution. Without shortcuts :math:`u_i = e_i(\mathrm{up}(u_{i+1}))`: all must pass through the bottom.

    Args:
        in_channels: Channels of the image.
        out_channels: Numbers per pixel, such as one logit per class.
        widths: Channels from the top to the bottom; the paper's by default.
        is_normalized: Whether batch normalization follows every convolution; the paper has none.
        has_shortcuts: Whether maps go across from the way down to the way up.
        upsampling: ``"transposed"`` or ``"bilinear"``.

    Example:
        >>> model = UNet(1, 2, widths=(8, 16, 32))
        >>> model(torch.zeros(5, 1, 28, 28)).shape
        torch.Size([5, 2, 28, 28])

    Reference:
        Ronneberger et al., U-Net: Convolutional Networks for Biomedical Image Segmentation, 2015. There
        convolutions do not pad, and shortcuts are cropped; here the output is as large as the input.
    """

    def __init__(
        self,
        in_channels: int = 1,
        out_channels: int = 2,
        *,
        widths: Sequence[int] = (64, 128, 256, 512, 1024),
        is_normalized: bool = False,
        has_shortcuts: bool = True,
        upsampling: str = "transposed",
    ) -> None:
        widths = tuple(int(width) for width in widths)
        if len(widths) < 2 or min(widths) < 1:
            raise InvalidValue(
                f"UNet: widths must be two or more positive widths, got {widths}. Try (16, 32, 64)."
            )
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.widths, self.is_normalized = widths, is_normalized
        self.has_shortcuts = has_shortcuts
        self.upsampling = choose("UNet", "upsampling", upsampling, RISES)
        sizes = list(pairwise((in_channels, *widths)))
        self.down = nn.ModuleList(_two_convolutions(*size, is_normalized) for size in sizes)
        self.pool = nn.MaxPool2d(2)
        rises = list(pairwise(reversed(widths)))
        self.rise = nn.ModuleList(RISES[upsampling](*size) for size in rises)
        maps = 2 if has_shortcuts else 1
        self.up = nn.ModuleList(_two_convolutions(maps * n, n, is_normalized) for _, n in rises)
        self.readout = nn.Conv2d(widths[0], out_channels, 1)
        initialize(self, "he")

    @takes_arrays
    def forward(self, x: Tensor) -> Tensor:
        check_images("UNet", x, self.in_channels)
        factor = 2 ** (len(self.widths) - 1)
        if x.shape[2] % factor or x.shape[3] % factor:
            raise InvalidValue(
                f"UNet: height and width must be multiples of {factor}, got "
                f"{x.shape[2]} × {x.shape[3]}. Pad the images."
            )
        maps = [self.down[0](x)]  # (B, widths[0], H, W)
        for down in self.down[1:]:
            maps.append(down(self.pool(maps[-1])))  # (B, widths[i], H / 2^i, W / 2^i)
        x = maps.pop()
        for rise, up in zip(self.rise, self.up, strict=True):
            across = [maps.pop()] if self.has_shortcuts else []
            x = up(torch.cat([*across, rise(x)], dim=1))  # (B, widths[i], H / 2^i, W / 2^i)
        return self.readout(x)  # (B, out_channels, H, W)
