"""Transformations of signals and images, and the groups they form."""

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.errors import InvalidValue

Transformation = Callable[[Tensor], Tensor]


def translation(*shifts: int) -> Transformation:
    r"""Shift the last axes periodically: :math:`(Tx)(k) = x(k-t)`, indices modulo the size.

    Args:
        shifts: :math:`t`, one for each of the last axes; two for images, down and right.

    Example:
        >>> translation(1)(torch.tensor([1, 2, 3]))
        tensor([3, 1, 2])
    """
    if not shifts:
        raise InvalidValue("translation: shifts must name at least one axis, got none. Try 1.")
    axes = tuple(range(-len(shifts), 0))
    return lambda x: x.roll(shifts, axes)


def reflection(axis: int = -1) -> Transformation:
    r"""Reverse one axis: :math:`(Tx)(k) = x(n-1-k)`.

    Args:
        axis: Which; the last, by default, swaps left and right.

    Example:
        >>> reflection()(torch.tensor([1, 2, 3]))
        tensor([3, 2, 1])
    """
    return lambda x: x.flip(axis)


def rotation(degrees: float) -> Transformation:
    """Turn images counter-clockwise about their centre.

    Quarter turns move pixels and are exact. Other angles read between pixels, bilinearly, with zeros
    outside, and lose a little each time.

    Args:
        degrees: Angle.

    Example:
        >>> rotation(90)(torch.tensor([[1, 2], [3, 4]]))
        tensor([[2, 4],
                [1, 3]])
    """
    turns, rest = divmod(degrees, 90)
    if rest == 0:
        return lambda x: x.rot90(int(turns), (-2, -1))
    return lambda x: _read_rotated(x, math.radians(degrees))


def _read_rotated(x: Tensor, angle: float) -> Tensor:
    images = x.reshape(-1, 1, *x.shape[-2:])  # (B, 1, H, W)
    cos, sin = math.cos(angle), math.sin(angle)
    height, width = x.shape[-2:]
    # Sampling coordinates run from -1 to 1 along both sides, hence the ratios.
    theta = x.new_tensor([[cos, -sin * height / width, 0.0], [sin * width / height, cos, 0.0]])
    grid = F.affine_grid(theta.expand(len(images), 2, 3), list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False).reshape(x.shape)


def permutation(order: Sequence[int] | Tensor, axis: int = -1) -> Transformation:
    r"""Reorder one axis: :math:`(Tx)(k) = x(\pi(k))`.

    Args:
        order: :math:`\pi`, each index once.
        axis: Which axis.

    Example:
        >>> permutation([2, 0, 1])(torch.tensor([10, 20, 30]))
        tensor([30, 10, 20])
    """
    index = torch.as_tensor(order)
    if index.ndim != 1 or not torch.equal(index.sort().values, torch.arange(len(index))):
        raise InvalidValue(
            f"permutation: order must hold each of 0..{index.numel() - 1} once, got {index.tolist()}. "
            f"Try torch.randperm({index.numel()})."
        )
    return lambda x: x.index_select(axis, index.to(x.device))


def translation_group(*sizes: int) -> tuple[Transformation, ...]:
    """All periodic shifts of a signal or an image.

    Args:
        sizes: Length of each of the last axes.

    Example:
        >>> len(translation_group(8, 8))
        64
    """
    shifts = torch.cartesian_prod(*(torch.arange(size) for size in sizes)).reshape(-1, len(sizes))
    return tuple(translation(*row) for row in shifts.tolist())


def rotation_group() -> tuple[Transformation, ...]:
    """The four quarter turns.

    Example:
        >>> len(rotation_group())
        4
    """
    return tuple(rotation(degrees) for degrees in (0, 90, 180, 270))


def dihedral_group() -> tuple[Transformation, ...]:
    """The eight symmetries of a square: quarter turns, each with and without a reflection.

    Example:
        >>> square = torch.tensor([[1, 2], [3, 4]])
        >>> len({tuple(g(square).flatten().tolist()) for g in dihedral_group()})
        8
    """
    mirror = reflection()
    turns = rotation_group()
    return (*turns, *(_after(mirror, turn) for turn in turns))


def _after(first: Transformation, second: Transformation) -> Transformation:
    return lambda x: second(first(x))
