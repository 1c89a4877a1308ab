"""Flips, quarter turns, crops and holes: distortions that move or remove pixels and compute none."""

import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.array_arguments import takes_arrays
from gradatim.errors import InvalidValue


def check_images(owner: str, images: Tensor) -> None:
    """Raise unless ``images`` is a batch of images."""
    if images.ndim != 4:
        raise InvalidValue(
            f"{owner}: images must have shape (B, C, H, W), got {tuple(images.shape)}."
        )


@takes_arrays
def random_flip(
    images: Tensor,
    *,
    probability: float = 0.5,
    vertical: bool = False,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Mirror some images of a batch.

    Args:
        images: Shape ``(B, C, H, W)``.
        probability: Share of images to mirror.
        vertical: Whether top and bottom change places instead of left and right.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> random_flip(torch.tensor([[[[1.0, 2.0]]]]), probability=1.0)
        tensor([[[[2., 1.]]]])
    """
    check_images("random_flip", images)
    chosen = torch.rand(len(images), generator=generator, device=images.device) < probability
    return torch.where(chosen[:, None, None, None], images.flip(2 if vertical else 3), images)


@takes_arrays
def flip_pairs(
    images: Tensor,
    masks: Tensor,
    *,
    vertical: bool = False,
    generator: torch.Generator | None = None,
) -> tuple[Tensor, Tensor]:
    """Mirror some images of a batch, and their masks with them.

    Args:
        images: Shape ``(B, C, H, W)``.
        masks: Of the same pixels, shape ``(B, H, W)``.
        vertical: Whether top and bottom change places too, for some.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> image = torch.tensor([[[[1, 2, 3]]]])
        >>> mirrored = [flip_pairs(image, image[:, 0]) for _ in range(9)]
        >>> all(torch.equal(x[:, 0], y) for x, y in mirrored)
        True
    """
    check_images("flip_pairs", images)
    if masks.shape != images.shape[:1] + images.shape[2:]:
        raise InvalidValue(
            f"flip_pairs: masks must have a value for every pixel of the images, got {tuple(masks.shape)} for "
            f"{tuple(images.shape)}."
        )
    for axis in (-1, -2) if vertical else (-1,):
        chosen = torch.rand(len(images), generator=generator, device=images.device) < 0.5
        images = torch.where(chosen[:, None, None, None], images.flip(axis), images)
        masks = torch.where(chosen[:, None, None], masks.flip(axis), masks)
    return images, masks


@takes_arrays
def quarter_turns(images: Tensor, turns: Tensor) -> Tensor:
    """Turn every square image counter-clockwise by its own number of right angles, without resampling.

    Args:
        images: Shape ``(B, C, N, N)``.
        turns: Whole numbers, shape ``(B,)``; 4 is a full turn.

    Example:
        >>> quarter_turns(torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]]), torch.tensor([1]))
        tensor([[[[2., 4.],
                  [1., 3.]]]])
    """
    check_images("quarter_turns", images)
    if images.shape[2] != images.shape[3]:
        raise InvalidValue(
            f"quarter_turns: images must be square, got {images.shape[2]} × {images.shape[3]}. "
            "Crop or pad them."
        )
    turned = images.clone()
    for k in (1, 2, 3):
        rows = (turns % 4 == k).nonzero().squeeze(1)
        turned[rows] = images[rows].rot90(k, (2, 3))
    return turned


@takes_arrays
def random_crop(
    images: Tensor, *, padding: int = 2, generator: torch.Generator | None = None
) -> Tensor:
    """Pad every image with zeros and cut a window of the old size at a random place.

    Args:
        images: Shape ``(B, C, H, W)``.
        padding: Pixels added on each side, so the largest shift.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> random_crop(torch.ones(2, 1, 4, 4), padding=0).sum().item()
        32.0
    """
    check_images("random_crop", images)
    if padding < 0:
        raise InvalidValue(f"random_crop: padding must be at least 0, got {padding}. Try 2.")
    rows, _, height, width = images.shape
    places = torch.randint(2 * padding + 1, (2, rows, 1), generator=generator, device=images.device)
    padded = F.pad(images, [padding] * 4).movedim(1, 3)  # (B, H + 2p, W + 2p, C)
    down = places[0] + torch.arange(height, device=images.device)  # (B, H)
    right = places[1] + torch.arange(width, device=images.device)  # (B, W)
    batch = torch.arange(rows, device=images.device)
    return padded[batch[:, None, None], down[:, :, None], right[:, None, :]].movedim(3, 1)


@takes_arrays
def cutout(images: Tensor, *, size: int = 4, generator: torch.Generator | None = None) -> Tensor:
    """Blank a square of every image; its centre is any pixel, so it may stick out.

    Args:
        images: Shape ``(B, C, H, W)``.
        size: Side of the square, in pixels.
        generator: Source of randomness; PyTorch's own by default.

    Example:
        >>> cutout(torch.ones(1, 1, 4, 4), size=8).sum().item()
        0.0

    Reference:
        DeVries and Taylor, Improved Regularization of Convolutional Neural Networks with Cutout, 2017.
    """
    check_images("cutout", images)
    rows, _, height, width = images.shape
    inside = []
    for length in (height, width):
        centre = torch.randint(length, (rows, 1), generator=generator, device=images.device)
        offset = torch.arange(length, device=images.device) - centre + size // 2  # (B, length)
        inside.append((offset >= 0) & (offset < size))
    hole = inside[0][:, None, :, None] & inside[1][:, None, None, :]  # (B, 1, H, W)
    return images.masked_fill(hole, 0.0)
