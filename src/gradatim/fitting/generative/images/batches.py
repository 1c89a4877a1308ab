"""Pictures for training: drawn anew for every step, the same for the same round."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor


def as_inputs(pictures: Tensor, low: float, padded: int) -> Tensor:
    """Whole numbers from 0 to 255 as brightness from ``low`` to 1, the edges repeated up to a size.

    Args:
        pictures: Shape ``(N, C, side, side)``.
        low: What black becomes.
        padded: Pixels along each side of the result.

    Example:
        >>> as_inputs(torch.full((1, 1, 1, 1), 255, dtype=torch.uint8), -1.0, 2)
        tensor([[[[1., 1.],
                  [1., 1.]]]])
    """
    x = pictures.float() * ((1 - low) / 255) + low
    more = padded - pictures.shape[-1]
    return F.pad(x, (0, more, 0, more), mode="replicate") if more else x


class PictureDraws:
    """Random batches of pictures, the same for the same round.

    Args:
        pictures: Whole numbers from 0 to 255, shape ``(N, C, side, side)``.
        labels: Their classes, shape ``(N,)``; zeros without any.
        low: What black becomes.
        padded: Pixels along each side of what a network sees.
        batch_size: Pictures of a step.
        num_batches: Steps of a round.
        seed: Fixes all draws.
    """

    def __init__(
        self,
        pictures: Tensor,
        labels: Tensor,
        *,
        low: float,
        padded: int,
        batch_size: int,
        num_batches: int,
        seed: int,
    ) -> None:
        self.pictures, self.labels, self.low, self.padded = pictures, labels, low, padded
        self.batch_size, self.num_batches, self.seed, self.epoch = batch_size, num_batches, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the round whose batches come next."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.num_batches

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        generator = torch.Generator().manual_seed(1_000_003 * self.seed + self.epoch)
        for _ in range(self.num_batches):
            rows = torch.randint(len(self.pictures), (self.batch_size,), generator=generator)
            yield as_inputs(self.pictures[rows], self.low, self.padded), self.labels[rows]
