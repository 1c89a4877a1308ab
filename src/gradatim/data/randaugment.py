"""RandAugment: a few random distortions for every image, all of one strength.

A batch is cut by operation, not by image: each operation runs once a round on the images that drew it.
"""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.data.flip_and_crop import check_images
from gradatim.errors import InvalidValue, choose, require

Operation = Callable[[Tensor, Tensor], Tensor]  # images, signed strengths in [-1, 1] -> images


def _warp(images: Tensor, *cells: Tensor) -> Tensor:
    """Read every image through its own affine map with rows (a, b, c) and (d, e, f)."""
    theta = torch.stack(cells, 1).view(-1, 2, 3)
    grid = F.affine_grid(theta, list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)


def _rotate(images: Tensor, strength: Tensor) -> Tensor:
    angle = math.radians(30) * strength
    cos, sin, zero = angle.cos(), angle.sin(), torch.zeros_like(angle)
    return _warp(images, cos, -sin, zero, sin, cos, zero)


def _shear_x(images: Tensor, strength: Tensor) -> Tensor:
    one, zero = torch.ones_like(strength), torch.zeros_like(strength)
    return _warp(images, one, 0.3 * strength, zero, zero, one, zero)


def _shear_y(images: Tensor, strength: Tensor) -> Tensor:
    one, zero = torch.ones_like(strength), torch.zeros_like(strength)
    return _warp(images, one, zero, zero, 0.3 * strength, one, zero)


def _shift_x(images: Tensor, strength: Tensor) -> Tensor:
    one, zero = torch.ones_like(strength), torch.zeros_like(strength)
    return _warp(images, one, zero, 0.6 * strength, zero, one, zero)


def _shift_y(images: Tensor, strength: Tensor) -> Tensor:
    one, zero = torch.ones_like(strength), torch.zeros_like(strength)
    return _warp(images, one, zero, zero, zero, one, 0.6 * strength)


def _column(strength: Tensor) -> Tensor:
    return strength.view(-1, 1, 1, 1)


def _brightness(images: Tensor, strength: Tensor) -> Tensor:
    return (images * (1 + 0.9 * _column(strength))).clamp(0, 1)


def _contrast(images: Tensor, strength: Tensor) -> Tensor:
    mean = images.mean((1, 2, 3), keepdim=True)
    return (mean + (images - mean) * (1 + 0.9 * _column(strength))).clamp(0, 1)


def _solarize(images: Tensor, strength: Tensor) -> Tensor:
    return torch.where(images > 1 - _column(strength.abs()), 1 - images, images)


def _posterize(images: Tensor, strength: Tensor) -> Tensor:
    levels = 2.0 ** (8 - 4 * _column(strength.abs())).round() - 1
    return (images * levels).round() / levels


OPERATIONS: dict[str, Operation] = {
    "identity": lambda images, strength: images,
    "rotate": _rotate,
    "shear_x": _shear_x,
    "shear_y": _shear_y,
    "shift_x": _shift_x,
    "shift_y": _shift_y,
    "brightness": _brightness,
    "contrast": _contrast,
    "solarize": _solarize,
    "posterize": _posterize,
}


@takes_arrays
def rand_augment(
    images: Tensor,
    *,
    rounds: int = 2,
    strength: float = 0.3,
    operations: tuple[str, ...] = tuple(OPERATIONS),
    value_range: tuple[float, float] = (0.0, 1.0),
    generator: torch.Generator | None = None,
) -> Tensor:
    """Apply ``rounds`` operations to every image, drawn for each image alone, with a random sign.

    Full strength turns by 30°, shears by 0.3, shifts by 30 % of the side, changes brightness and
    contrast by 90 %, inverts everything, leaves 4 bits.

    Args:
        images: Values in ``value_range``, shape ``(B, C, H, W)``.
        rounds: Operations an image goes through.
        strength: From 0, nothing, to 1; the paper's magnitude over its maximum.
        operations: Names to draw from; leave out those that change the class.
        value_range: Black and white: what brightness and contrast stop at, what solarize mirrors between,
            and, the first, what comes in from outside. Of images standardized by a mean and a
            deviation it is ``(-mean / deviation, (1 - mean) / deviation)``.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> rand_augment(torch.rand(8, 3, 16, 16), rounds=2).shape
        torch.Size([8, 3, 16, 16])

    Reference:
        Cubuk et al., RandAugment, 2020. Colour balance, sharpness, equalize and auto-contrast are left
        out: they have no strength, or no meaning for one channel.
    """
    check_images("rand_augment", images)
    if not 0.0 <= strength <= 1.0:
        raise InvalidValue(f"rand_augment: strength must be in [0, 1], got {strength}. Try 0.3.")
    functions = [
        OPERATIONS[choose("rand_augment", "operations", o, OPERATIONS)] for o in operations
    ]
    low, high = value_range
    span = high - low
    require(span > 0, "rand_augment: value_range must be (lower, higher)", value_range)
    _check_range(images, low, high)
    images = (images - low) / span
    for _ in range(rounds):
        drawn = torch.randint(len(functions), (len(images),), generator=generator)
        signs = 2.0 * torch.randint(2, (len(images),), generator=generator) - 1.0
        amounts = (strength * signs).to(images)
        changed = torch.empty_like(images)
        for index, function in enumerate(functions):
            rows = (drawn == index).nonzero().squeeze(1).to(images.device)
            if len(rows):
                changed[rows] = function(images[rows], amounts[rows])
        images = changed
    return images * span + low


def _check_range(images: Tensor, low: float, high: float) -> None:
    """Refuse values that the operations would cut off."""
    if not images.numel():
        return
    least, most = (end.item() for end in images.aminmax())
    slack = 1e-2 * (high - low)
    require(
        least >= low - slack and most <= high + slack,
        f"rand_augment: images must lie in value_range=({low:g}, {high:g})",
        f"values from {least:.4g} to {most:.4g}",
        "Augment before standardizing, or give the range of the images.",
    )
