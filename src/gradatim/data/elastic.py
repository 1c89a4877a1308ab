"""Elastic distortions: what a hand does to a stroke."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.flip_and_crop import check_images
from gradatim.errors import InvalidValue


@takes_arrays
def random_elastic(
    images: Tensor,
    *,
    strength: float = 1.0,
    smoothness: float = 4.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    r"""Move every pixel of every image by its own smooth random field.

    A pixel at :math:`u` of the result is read, bilinearly, from :math:`u+\alpha\,(g_\sigma * r)(u)/c` of the
    image, with :math:`r` white noise, :math:`g_\sigma` a Gaussian filter and :math:`c` such that a coordinate of
    the field has standard deviation one far from the border; what lies outside is zero.

    Args:
        images: Shape ``(B, C, H, W)``.
        strength: :math:`\alpha`, standard deviation of a shift along an axis, in pixels.
        smoothness: :math:`\sigma`, in pixels: large moves the whole image, small tears it.
        generator: Source of randomness; PyTorch's own by default.

    Returns:
        Distorted images, shape of ``images``.

    Example:
        >>> x = torch.rand(2, 1, 8, 8)
        >>> torch.allclose(random_elastic(x, strength=0.0), x, atol=1e-6)
        True

    Reference:
        Simard, Steinkraus and Platt, Best Practices for Convolutional Neural Networks, 2003. Their noise is
        uniform, and their scale is that of the field before it is smoothed.
    """
    check_images("random_elastic", images)
    if not smoothness > 0:
        raise InvalidValue(
            f"random_elastic: smoothness must be more than 0 pixels, got {smoothness}. Try 4."
        )
    rows, _, height, width = images.shape
    kernel = _gaussian(smoothness).to(images)
    pad = len(kernel) // 2
    size = (2 * rows, 1, height + 2 * pad, width + 2 * pad)
    noise = torch.randn(size, generator=generator, device=images.device, dtype=images.dtype)
    field = F.conv2d(F.conv2d(noise, kernel.view(1, 1, 1, -1)), kernel.view(1, 1, -1, 1))
    pixels = torch.tensor([2.0 / width, 2.0 / height], device=images.device, dtype=images.dtype)
    shifts = strength * field.view(rows, 2, height, width).permute(0, 2, 3, 1) * pixels
    still = torch.eye(2, 3, device=images.device, dtype=images.dtype).expand(rows, 2, 3)
    grid = F.affine_grid(still, list(images.shape), align_corners=False)  # (B, H, W, 2)
    return F.grid_sample(images, grid + shifts, align_corners=False)


def _gaussian(sigma: float) -> Tensor:
    """Samples of a Gaussian with unit sum of squares: filtered white noise keeps variance one."""
    reach = math.ceil(3 * sigma)
    values = torch.exp(-0.5 * (torch.arange(-reach, reach + 1) / sigma) ** 2)
    return values / values.norm()
