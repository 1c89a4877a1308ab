"""Matrices in compressed sparse rows: made, joined, and rows taken from them."""

import warnings
from collections.abc import Sequence

import torch
from torch import Tensor


def make_csr(starts: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> Tensor:
    """A tensor in compressed sparse rows, without PyTorch's warning that these are new.

    Args:
        starts: Where each row begins, shape ``(rows + 1,)``.
        columns: Column of every entry, row by row.
        values: Every entry.
        size: Rows and columns.

    Example:
        >>> make_csr(torch.tensor([0, 1, 2]), torch.tensor([1, 0]), torch.tensor([2.0, 3.0]), (2, 2)).to_dense()
        tensor([[0., 2.],
                [3., 0.]])
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(starts, columns, values, size, check_invariants=False)


def spans(starts: Tensor, counts: Tensor) -> Tensor:
    """Whole numbers from each start on, as many as its count, one span behind the other.

    Args:
        starts: First number of each span.
        counts: Length of each span.

    Example:
        >>> spans(torch.tensor([7, 0]), torch.tensor([2, 3]))
        tensor([7, 8, 0, 1, 2])
    """
    before = counts.cumsum(0) - counts
    shift = torch.repeat_interleave(starts - before, counts)
    return shift + torch.arange(len(shift), device=shift.device)


def take_rows(x: Tensor, rows: Tensor) -> Tensor:
    """Some rows of a matrix, which stays sparse if it is.

    Args:
        x: Matrix, dense or in compressed sparse rows.
        rows: Which rows, whole numbers from 0.

    Example:
        >>> take_rows(torch.eye(3).to_sparse_csr(), torch.tensor([2, 0])).to_dense()
        tensor([[0., 0., 1.],
                [1., 0., 0.]])
    """
    if x.layout != torch.sparse_csr:
        return x.index_select(0, rows)
    starts, counts = x.crow_indices(), x.crow_indices().diff()[rows]
    entries = spans(starts[rows], counts)
    begins = torch.cat([starts.new_zeros(1), counts.cumsum(0)])
    return make_csr(begins, x.col_indices()[entries], x.values()[entries], (len(rows), x.shape[1]))


def join_rows(parts: Sequence[Tensor]) -> Tensor:
    """Matrices of one width below each other; sparse where all of them are.

    Args:
        parts: Matrices, dense or in compressed sparse rows.

    Example:
        >>> join_rows([torch.eye(2), torch.zeros(1, 2)]).shape
        torch.Size([3, 2])
    """
    if not all(part.layout == torch.sparse_csr for part in parts):
        return torch.cat([part.to_dense() for part in parts])
    counts = torch.cat([part.crow_indices().diff() for part in parts])
    begins = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
    columns = torch.cat([part.col_indices() for part in parts])
    values = torch.cat([part.values() for part in parts])
    return make_csr(begins, columns, values, (len(counts), parts[0].shape[1]))
