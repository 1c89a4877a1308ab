"""Where the entries of a sparse matrix stand, row by row and column by column."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import torch
from torch import Tensor


class ByColumn(NamedTuple):
    """Entries column by column.

    Attributes:
        starts: Where each column begins, shape ``(columns + 1,)``.
        rows: Row of every entry.
        order: Place of these entries among those row by row.
    """

    starts: Tensor
    rows: Tensor
    order: Tensor


@dataclass(frozen=True, eq=False)
class SparsePattern:
    """Entries row by row, and column by column as soon as that is asked for.

    Args:
        starts: Where each row begins, shape ``(rows + 1,)``.
        columns: Column of every entry.
        num_columns: Number of columns.
    """

    starts: Tensor
    columns: Tensor
    num_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.starts) - 1, self.num_columns

    @property
    def rows(self) -> Tensor:
        """Row of every entry."""
        return torch.repeat_interleave(self.starts.diff())

    @cached_property
    def by_column(self) -> ByColumn:
        """The same entries column by column, sorted once; a symmetric pattern takes no more memory than their order."""
        order = torch.argsort(self.columns, stable=True)
        starts, rows = starts_of(self.columns, self.num_columns), self.rows[order]
        order, starts = order.to(self.columns.dtype), starts.to(self.starts.dtype)
        if torch.equal(starts, self.starts) and torch.equal(rows, self.columns):
            return ByColumn(self.starts, self.columns, order)
        return ByColumn(starts, rows, order)


def make_pattern(starts: Tensor, columns: Tensor, num_columns: int) -> SparsePattern:
    """A pattern in 32-bit numbers wherever they suffice: kernels read these without a copy.

    Args:
        starts: Where each row begins, shape ``(rows + 1,)``.
        columns: Column of every entry.
        num_columns: Number of columns.

    Example:
        >>> make_pattern(torch.tensor([0, 1]), torch.tensor([2]), 3).columns
        tensor([2], dtype=torch.int32)
    """
    is_small = max(len(columns), num_columns) < 2**31
    dtype = torch.int32 if is_small else torch.int64
    return SparsePattern(starts.to(dtype), columns.to(dtype), num_columns)


def merge_places(rows: Tensor, columns: Tensor, size: tuple[int, int]) -> tuple[SparsePattern, Tensor]:  # fmt: skip
    """Sort places by row and column, and merge those that are named twice.

    Args:
        rows: Row of every place.
        columns: Column of every place.
        size: Rows and columns.

    Returns:
        The pattern, and which of its entries each place became.

    Example:
        >>> pattern, entry = merge_places(torch.tensor([1, 0, 1]), torch.tensor([0, 2, 0]), (2, 3))
        >>> pattern.starts.tolist(), pattern.columns.tolist(), entry.tolist()
        ([0, 1, 2], [2, 0], [1, 0, 1])
    """
    width = max(size[1], 1)
    places, entry = torch.unique(rows * width + columns, return_inverse=True)
    return make_pattern(starts_of(places // width, size[0]), places % width, size[1]), entry


def starts_of(places: Tensor, count: int) -> Tensor:
    """Where each of so many groups begins, when what belongs to them is sorted.

    Example:
        >>> starts_of(torch.tensor([2, 0, 0]), 3)
        tensor([0, 2, 2, 3])
    """
    ends = torch.bincount(places, minlength=count).cumsum(0)
    return torch.cat([ends.new_zeros(1), ends])
