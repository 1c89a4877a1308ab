"""Photographs under other light: brightness, contrast and saturation change at random."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.flip_and_crop import check_images
from gradatim.errors import require


@takes_arrays
def colour_jitter(
    images: Tensor,
    *,
    brightness: float = 0.2,
    contrast: float = 0.2,
    saturation: float = 0.2,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Change brightness, contrast and saturation of every image by its own random factors.

    .. math:: x' = (1+b)\,x, \qquad x'' = \bar x' + (1+c)(x' - \bar x'), \qquad x''' = g + (1+s)(x'' - g)

    :math:`\bar x'` is the mean of the image, :math:`g` that of the channels of each pixel. All amounts are uniform between
    minus and plus their limit; the result is held to [0, 1].

    Args:
        images: Values in [0, 1], shape ``(B, C, H, W)``.
        brightness: Largest :math:`|b|`.
        contrast: Largest :math:`|c|`.
        saturation: Largest :math:`|s|`.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> x = torch.rand(2, 3, 4, 4)
        >>> torch.equal(colour_jitter(x, brightness=0, contrast=0, saturation=0), x)
        True
    """
    check_images("colour_jitter", images)
    limits = {"brightness": brightness, "contrast": contrast, "saturation": saturation}
    for name, limit in limits.items():
        require(0 <= limit <= 1, f"colour_jitter: {name} must be from 0 to 1", limit, "Try 0.2.")
    draws = torch.rand(3, len(images), 1, 1, 1, generator=generator, device=images.device, dtype=images.dtype)  # fmt: skip
    b, c, s = (limit * (2 * draw - 1) for limit, draw in zip(limits.values(), draws, strict=True))
    x = images * (1 + b)
    x = x + c * (x - x.mean((1, 2, 3), keepdim=True))
    x = x + s * (x - x.mean(1, keepdim=True))
    return x.clamp(0, 1)
