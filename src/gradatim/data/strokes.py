"""Drawings as clouds of points: where the ink is."""

import torch
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import require, require_whole


@takes_arrays
def stroke_points(
    images: Tensor, cloud_size: int = 128, *, generator: torch.Generator | None = None
) -> Tensor:
    r"""Draw points from the ink of images, such as handwritten digits.

    .. math:: x_m = c_{p_m} + v_m, \qquad P(p) = \frac{I_p}{\sum_q I_q}, \quad v_m \sim U(\text{pixel})

    A pixel :math:`p` of twice the ink :math:`I_p` is drawn twice as often; the point lies anywhere in it.

    Args:
        images: Ink, none negative, shape ``(B, 1, H, W)`` or ``(B, H, W)``; each image must hold some.
        cloud_size: Points :math:`M` drawn from each image, with repetition of pixels.
        generator: Source of randomness; PyTorch's own by default.

    Returns:
        Points ``(B, cloud_size, 2)``: right and up from the centre, the longer side from -1 to 1.

    Example:
        >>> image = torch.zeros(1, 1, 4, 4)
        >>> image[0, 0, 0, 3] = 1.0  # top right
        >>> points = stroke_points(image, 50)
        >>> points.shape, bool((points >= 0.5).all())
        (torch.Size([1, 50, 2]), True)
    """
    require_whole("stroke_points", cloud_size=cloud_size)
    is_grey = images.ndim == 3 or (images.ndim == 4 and images.shape[1] == 1)
    require(is_grey, "stroke_points: images must have shape (B, 1, H, W) or (B, H, W)", tuple(images.shape))  # fmt: skip
    height, width = images.shape[-2:]
    ink = images.reshape(len(images), -1)
    ink = ink if ink.is_floating_point() else ink.to(torch.get_default_dtype())
    has_ink = bool((ink >= 0).all() and (ink.sum(1) > 0).all())
    require(has_ink, "stroke_points: images must hold some ink each, and none below 0", "other pixels", "Leave out empty images.")  # fmt: skip
    pixel = torch.multinomial(ink, cloud_size, replacement=True, generator=generator)  # (B, M)
    place = torch.stack([pixel % width, height - 1 - pixel // width], -1).to(ink)  # (B, M, 2)
    inside = torch.rand(place.shape, generator=generator, device=ink.device, dtype=ink.dtype)
    middle = place.new_tensor([width / 2, height / 2])
    return (place + inside - middle) / (max(height, width) / 2)
