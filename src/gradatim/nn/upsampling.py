r"""Make images larger: repeat, interpolate, or learn how.

Nearest and bilinear interpolation by a factor :math:`f` are both transposed convolutions of stride :math:`f`,
with a kernel that is a box or a triangle in each direction:

.. math::
    b(i) = 1,\ i=0\dots f-1 \qquad
    t(i) = 1-\frac{|i-c|}{f},\ i=0\dots 2f-1-(f \bmod 2),\ c=\frac{2f-1-(f\bmod 2)}{2}

A learned kernel may start from the triangle, and change from there.
"""

import torch
from torch import Tensor, nn

from gradatim.errors import InvalidValue, choose

KINDS = ("nearest", "bilinear", "transposed")


def upsampling_kernel(factor: int, kind: str = "bilinear") -> Tensor:
    """The kernel, shape ``(m, m)``, with which a transposed convolution of stride ``factor`` interpolates.

    Args:
        factor: How many times larger.
        kind: ``"nearest"`` for a box, ``"bilinear"`` for a triangle.

    Example:
        >>> upsampling_kernel(2)[1]
        tensor([0.1875, 0.5625, 0.5625, 0.1875])
    """
    choose("upsampling_kernel", "kind", kind, KINDS[:2])
    _check_factor("upsampling_kernel", factor)
    if kind == "nearest":
        return torch.ones(factor, factor)
    taps = 2 * factor - factor % 2
    line = 1 - (torch.arange(taps) - (taps - 1) / 2).abs() / factor
    return line[:, None] * line[None]


def upsampling_layer(channels: int, factor: int = 2, *, kind: str = "bilinear") -> nn.Module:
    r"""Make a layer that enlarges images ``(B, channels, H, W)`` to ``(B, channels, fH, fW)``.

    Args:
        channels: Channels of the images.
        factor: :math:`f`.
        kind: ``"nearest"`` repeats pixels, ``"bilinear"`` interpolates between their centres, and
            ``"transposed"`` is a learned transposed convolution over all channels that starts as bilinear
            interpolation of each (with zeros, not the last pixel, beyond the border).

    Example:
        >>> layer = upsampling_layer(1, kind="nearest")
        >>> layer(torch.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1., 1., 2., 2.],
                  [1., 1., 2., 2.]]]])

    Reference:
        Long, Shelhamer and Darrell, Fully Convolutional Networks for Semantic Segmentation, 2015.
    """
    choose("upsampling_layer", "kind", kind, KINDS)
    _check_factor("upsampling_layer", factor)
    if kind != "transposed":
        align = {} if kind == "nearest" else {"align_corners": False}
        return nn.Upsample(scale_factor=factor, mode=kind, **align)
    kernel = upsampling_kernel(factor)
    layer = nn.ConvTranspose2d(
        channels,
        channels,
        len(kernel),
        stride=factor,
        padding=(len(kernel) - factor) // 2,
        bias=False,
    )
    with torch.no_grad():
        layer.weight.zero_()
        layer.weight[range(channels), range(channels)] = kernel
    return layer


def _check_factor(owner: str, factor: int) -> None:
    if not isinstance(factor, int) or factor < 1:
        raise InvalidValue(f"{owner}: factor must be a whole number from 1, got {factor!r}. Try 2.")
