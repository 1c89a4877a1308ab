"""The batches of K trainings side by side: the rows each would see alone, padded to one shape."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from gradatim.training.batches import CHUNK_BYTES, epoch_order


class Chunk(NamedTuple):
    """Some steps of K trainings.

    Args:
        start: Number of the first step in its epoch.
        x: Inputs, shape ``(steps, K, B, ...)``.
        y: Targets, shape ``(steps, K, B, ...)``.
        weight: One over the rows of the batch, times the weight of the row where rows weigh, zero for padding, shape ``(steps, K, B)``.
        counts: Rows of each batch, ``counts[step][k]``.
    """

    start: int
    x: Tensor
    y: Tensor
    weight: Tensor
    counts: list[list[int]]


class StackedBatches:
    """Cut the rows of K replicas into batches, as :class:`gradatim.training.batches.InMemory` does for one.

    Args:
        X: Inputs of all replicas, shape ``(N, ...)``.
        y: Targets, shape ``(N, ...)``.
        rows: For every replica, the rows of ``X`` that are its own.
        batch_size: Rows per batch; a replica's last batch of an epoch may be smaller.
        seeds: One per replica; ``None`` keeps the given order.
        row_weight: Of every row of ``X``; scaled to 1 on average over the rows of each replica.
    """

    def __init__(
        self,
        X: Tensor,
        y: Tensor,
        rows: Sequence[Tensor],
        *,
        batch_size: int,
        seeds: Sequence[int] | None,
        row_weight: Tensor | None = None,
    ) -> None:
        self.X, self.y, self.rows, self.seeds = X, y, list(rows), seeds
        sizes = torch.tensor([len(own) for own in rows])
        self.batch_size = min(batch_size, int(sizes.max()))
        self.clocks = [-(-len(own) // batch_size) for own in rows]
        self.steps = max(self.clocks)
        starts = torch.arange(self.steps).unsqueeze(1) * self.batch_size
        counts = (sizes - starts).clamp_(0, self.batch_size)  # (steps, K)
        places = torch.arange(self.batch_size)
        is_real = places < counts.unsqueeze(-1)  # (steps, K, B)
        self.weight = is_real.to(X.dtype) / counts.clamp(min=1).unsqueeze(-1)
        self.counts: list[list[int]] = counts.tolist()
        self.row_weight = row_weight
        if row_weight is not None:
            means = torch.stack([row_weight[own].mean() for own in rows])
            self.weight = self.weight / means.to(X.dtype).view(1, -1, 1)
        step_bytes = len(rows) * self.batch_size * X[0].numel() * X.element_size()
        self.chunk = max(CHUNK_BYTES // max(step_bytes, 1), 1)

    def epoch(self, epoch: int) -> Iterator[Chunk]:
        """Yield the batches of an epoch, several steps at a time."""
        order = self._order(epoch)
        for start in range(0, self.steps, self.chunk):
            part = slice(start, min(start + self.chunk, self.steps))
            index = order[part]
            flat = index.flatten()
            x = self.X.index_select(0, flat).view(*index.shape, *self.X.shape[1:])
            y = self.y.index_select(0, flat).view(*index.shape, *self.y.shape[1:])
            weight = self.weight[part]
            if self.row_weight is not None:
                weight = weight * self.row_weight.index_select(0, flat).view(index.shape)
            yield Chunk(start, x, y, weight, self.counts[part])

    def _order(self, epoch: int) -> Tensor:
        """Rows by step, replica and place; padding repeats the replica's first row."""
        places = self.steps * self.batch_size
        order = torch.empty(len(self.rows), places, dtype=torch.int64)
        for k, own in enumerate(self.rows):
            if self.seeds is not None:
                order[k, : len(own)] = own[epoch_order(len(own), self.seeds[k], epoch)]
            else:
                order[k, : len(own)] = own
            order[k, len(own) :] = own[0]
        shape = (len(self.rows), self.steps, self.batch_size)
        return order.view(shape).transpose(0, 1).contiguous()  # (steps, K, B)
