"""Random distortions of whole batches of images, on their device."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.flip_and_crop import check_images


@takes_arrays
def random_affine(
    images: Tensor,
    *,
    degrees: float = 10.0,
    shift: float = 2.0,
    scale: float = 0.1,
    shear: float = 0.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Rotate, shift, scale and shear every image of a batch by its own random amount.

    A pixel at :math:`u` of the result is read, bilinearly, from :math:`A u + b` of the image; what lies outside
    is zero. All amounts are uniform between minus and plus their limit.

    Args:
        images: Shape ``(B, C, H, W)``.
        degrees: Largest angle.
        shift: Largest shift, in pixels, along each axis.
        scale: Largest relative change of size.
        shear: Largest horizontal shear, as the tangent of an angle.
        generator: Source of randomness; PyTorch's own by default.

    Returns:
        Distorted images, shape of ``images``.

    Example:
        >>> x = torch.rand(2, 1, 4, 4)
        >>> torch.allclose(random_affine(x, degrees=0, shift=0, scale=0), x, atol=1e-6)
        True
    """
    check_images("random_affine", images)
    rows, height, width = len(images), images.shape[2], images.shape[3]
    draws = torch.rand(5, rows, generator=generator, device=images.device, dtype=images.dtype)
    angle, grow, slant, right, down = 2.0 * draws - 1.0
    angle, grow, slant = angle * math.radians(degrees), 1.0 + grow * scale, slant * shear
    cos, sin = angle.cos() * grow, angle.sin() * grow
    theta = torch.stack(
        [
            torch.stack([cos, slant - sin, right * (2.0 * shift / width)], 1),
            torch.stack([sin, cos, down * (2.0 * shift / height)], 1),
        ],
        1,
    )  # (B, 2, 3)
    grid = F.affine_grid(theta, list(images.shape), align_corners=False)  # (B, H, W, 2)
    return F.grid_sample(images, grid, align_corners=False)
