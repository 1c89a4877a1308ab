"""Vectors of rows for training: places within jumps are drawn anew for every round, rows anew for every step."""

from collections.abc import Iterator

import pandas as pd
import torch
from torch import Tensor

from gradatim.generative import RowCodec

LOOKED = 2048  # vectors of a look at the validation rows; few rows are looked at several times


class RowBatches:
    """Random batches of a table, the same for the same round.

    Args:
        codec: How rows become vectors.
        table: The rows.
        labels: Their classes, shape ``(N,)``; zeros without any.
        batch_size: Rows of a step.
        num_batches: Steps of a round.
        seed: Fixes all draws.
    """

    def __init__(
        self,
        codec: RowCodec,
        table: pd.DataFrame,
        labels: Tensor,
        *,
        batch_size: int,
        num_batches: int,
        seed: int,
    ) -> None:
        self.codec, self.table, self.labels = codec, table, labels
        self.batch_size, self.num_batches, self.seed, self.epoch = batch_size, num_batches, seed, 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the round whose batches come next."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.num_batches

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        generator = torch.Generator().manual_seed(1_000_003 * self.seed + self.epoch)
        vectors = self.codec.encode(self.table, generator=generator)
        for _ in range(self.num_batches):
            rows = torch.randint(len(vectors), (self.batch_size,), generator=generator)
            yield vectors[rows], self.labels[rows]


def looked_at(codec: RowCodec, table: pd.DataFrame, labels: Tensor, seed: int) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Validation rows as vectors, some of many, few of them several times.

    Args:
        codec: How rows become vectors.
        table: The rows.
        labels: Their classes.
        seed: Fixes places within jumps.
    """
    generator = torch.Generator().manual_seed(seed)
    rows = torch.arange(max(LOOKED, len(table))) % len(table)
    rows = rows[:LOOKED]
    return codec.encode(table.iloc[rows.numpy()], generator=generator), labels[rows]
