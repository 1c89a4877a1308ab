"""Pictures as networks take them: scaled, with channels first, in parts, mirrored, in batches."""

from collections.abc import Callable, Iterator

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from gradatim.fitting.images.distortions import Scale, as_column

BATCH = 64  # pictures of a step, where they are small
FEWEST = 8  # where they are large
ROOM = 64 * 64 * 64  # pixels of a pass, where more than 64 pictures would be more
LARGE = 96  # pixels a side from which batches shrink


def as_inputs(images: np.ndarray, mean: Scale, spread: Scale, side: int | None = None) -> Tensor:
    """Pictures as :func:`scale_pixels` makes them, from an array."""
    return scale_pixels(torch.from_numpy(np.ascontiguousarray(images)), mean, spread, side)


def scale_pixels(images: Tensor, mean: Scale, spread: Scale, side: int | None = None) -> Tensor:
    """Scale pictures and put the channels first; grey ones become colours where each channel has a scale of its own.

    Args:
        images: Shape ``(N, H, W, C)``, whole numbers from 0 to 255.
        mean: What is subtracted, from all channels or from each.
        spread: What they are divided by.
        side: Pixels along each side of the result; those of the pictures by default.

    Returns:
        Shape ``(N, C, side, side)``.

    Example:
        >>> scale_pixels(torch.full((1, 2, 2, 3), 5), 1.0, 2.0)[0, :, 0, 0]
        tensor([2., 2., 2.])
    """
    pixels = images.permute(0, 3, 1, 2).contiguous().float()
    if side is not None and side != pixels.shape[-1]:
        pixels = F.interpolate(pixels, size=(side, side), mode="bilinear", align_corners=False, antialias=True)  # fmt: skip
    return (pixels - as_column(mean)) / as_column(spread)


def cut_tiles(images: np.ndarray, tiles: int) -> np.ndarray:
    """Cut every picture into ``tiles`` × ``tiles`` parts, those of a picture one after another, row by row.

    Args:
        images: Shape ``(N, tiles · side, tiles · side, C)``.
        tiles: Parts along each side.

    Returns:
        Shape ``(N · tiles², side, side, C)``.

    Example:
        >>> cut_tiles(np.arange(16).reshape(1, 4, 4, 1), 2)[1, :, :, 0].tolist()
        [[2, 3], [6, 7]]
    """
    if tiles == 1:
        return images
    n, height, width, channels = images.shape
    parts = images.reshape(n, tiles, height // tiles, tiles, width // tiles, channels)
    return parts.swapaxes(2, 3).reshape(-1, height // tiles, width // tiles, channels)


def look(images: np.ndarray, views: int) -> list[np.ndarray]:
    """Pictures as they are, mirrored too (2 views), and both upside down (4 views).

    Args:
        images: Shape ``(N, H, W, C)``.
        views: 1, 2 or 4.

    Example:
        >>> [view.ravel().tolist() for view in look(np.array([[[[1], [2]], [[3], [4]]]]), 4)]
        [[1, 2, 3, 4], [2, 1, 4, 3], [3, 4, 1, 2], [4, 3, 2, 1]]
    """
    seen = [images, images[:, :, ::-1]][:views]
    seen = seen + [view[:, ::-1] for view in seen] if views == 4 else seen
    return [np.ascontiguousarray(view) for view in seen]  # PyTorch reads no array backwards


def block_of(side: int) -> int:
    """Pictures of a pass that predicts: fewer of large ones.

    Example:
        >>> [block_of(side) for side in (28, 64, 224, 512)]
        [64, 64, 5, 1]
    """
    return max(min(BATCH, ROOM // (side * side)), 1)


def batch_of(side: int) -> int:
    """Pictures of a step of training: fewer of large ones.

    Example:
        >>> [batch_of(side) for side in (28, 64, 128, 224)]
        [64, 64, 36, 11]
    """
    return int(np.clip(BATCH * LARGE * LARGE // (side * side), FEWEST, BATCH))


class PictureBatches:
    """Batches of pictures that become numbers only when their turn comes, in a new order in every epoch.

    Args:
        images: Shape ``(N, H, W, C)``, whole numbers from 0 to 255.
        targets: What is learned of each.
        batch_size: Pictures of a step.
        read: Makes inputs of pictures.
    """

    def __init__(self, images: np.ndarray, targets: np.ndarray, batch_size: int, read: Callable[[np.ndarray], Tensor]) -> None:  # fmt: skip
        self.images, self.targets = images, torch.as_tensor(targets)
        self.batch_size, self.read = batch_size, read

    def __len__(self) -> int:
        return -(-len(self.images) // self.batch_size)

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        order = torch.randperm(len(self.images))
        for start in range(0, len(order), self.batch_size):
            part = order[start : start + self.batch_size]
            yield self.read(self.images[part.numpy()]), self.targets[part]
