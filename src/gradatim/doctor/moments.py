"""Running mean and deviation of the columns of rows."""

import numpy as np
import torch
from torch import Tensor

MOST_COLUMNS = 1024  # of a row that are looked at


class Moments:
    """Running mean and deviation of columns."""

    def __init__(self) -> None:
        self.count = 0
        self.sum: np.ndarray | None = None
        self.square: np.ndarray | None = None

    def add(self, rows: Tensor) -> None:
        """Take rows in; those of images and sequences are seen by channel."""
        values = by_column(rows).to(torch.float64)
        total, square = values.sum(0).cpu().numpy(), (values**2).sum(0).cpu().numpy()
        if self.sum is None or self.sum.shape != total.shape:
            self.count, self.sum, self.square = 0, np.zeros_like(total), np.zeros_like(total)
        self.count += len(values)
        self.sum = self.sum + total
        self.square = self.square + square

    @property
    def mean(self) -> np.ndarray:
        return np.asarray(self.sum) / max(self.count, 1)

    @property
    def std(self) -> np.ndarray:
        variance = np.asarray(self.square) / max(self.count, 1) - self.mean**2
        floor = 1e-12 * (np.asarray(self.square) / max(self.count, 1))
        return np.sqrt(np.where(variance > floor, variance, 0.0))


def by_column(rows: Tensor) -> Tensor:
    """A matrix of columns: features of tables, features of sequences, channels of images."""
    rows = rows.detach()
    if rows.dim() <= 1:
        return rows.reshape(-1, 1)
    if rows.dim() == 2:
        return rows[:, :MOST_COLUMNS]
    if rows.dim() == 3:
        return rows.reshape(-1, rows.shape[-1])[:, :MOST_COLUMNS]
    return rows.transpose(1, -1).reshape(-1, rows.shape[1])
