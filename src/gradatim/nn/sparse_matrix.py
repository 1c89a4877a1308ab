r"""A sparse matrix that is multiplied by in both directions, as every step of training does.

.. math:: Y = SX, \qquad \frac{\partial\ell}{\partial X} = S^\top \frac{\partial\ell}{\partial Y}, \qquad
    \frac{\partial\ell}{\partial s_{ij}} = \Bigl\langle \frac{\partial\ell}{\partial y_i}, x_j \Bigr\rangle

The transpose is found once and kept: PyTorch would sort the entries again in every backward pass.
"""

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from gradatim.data.sparse_rows import make_csr
from gradatim.hidden_values import is_transformed
from gradatim.made_once import made_once
from gradatim.nn.plain_path import at_least_single


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A matrix :math:`S` as its entries, row by row, and the same column by column.

    Args:
        starts: Where each row begins, shape ``(rows + 1,)``.
        columns: Column of every entry, row by row.
        values: Every entry.
        starts_t: Where each column begins.
        rows_t: Row of every entry, column by column.
        order: Place of these entries among ``values``.
        back: Place of ``values`` among these entries.
    """

    starts: Tensor
    columns: Tensor
    values: Tensor
    starts_t: Tensor
    rows_t: Tensor
    order: Tensor
    back: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.starts) - 1, len(self.starts_t) - 1

    @property
    def rows(self) -> Tensor:
        """Row of every entry, row by row."""
        return torch.repeat_interleave(self.starts.diff())

    @property
    def transposed(self) -> "SparseMatrix":
        """The transpose."""
        values = self.values[self.order]
        return SparseMatrix(
            self.starts_t, self.rows_t, values, self.starts, self.columns, self.back, self.order
        )

    def with_values(self, values: Tensor) -> "SparseMatrix":
        """Other entries in the same places."""
        return replace(self, values=values)

    def to_tensor(self) -> Tensor:
        """The matrix as a tensor in compressed sparse rows."""
        return make_csr(self.starts, self.columns, self.values, self.shape)

    def times(self, x: Tensor) -> Tensor:
        """Multiply with ``x``, shape ``(columns, F)``; gradients reach ``x`` and ``values``."""
        if is_transformed():
            terms = self.values[:, None].to(x.dtype) * x[self.columns]
            return x.new_zeros(self.shape[0], x.shape[1]).index_add(0, self.rows, terms)
        values = self.values.to(x.dtype)
        found: Tensor = _Product.apply(
            values, x, self.starts, self.columns, self.starts_t, self.rows_t, self.order, self.back
        )
        return found


def sparse_matrix(rows: Tensor, columns: Tensor, values: Tensor, size: tuple[int, int]) -> SparseMatrix:  # fmt: skip
    """Make a matrix from its entries in any order; each place must be named once.

    Args:
        rows: Row of every entry.
        columns: Column of every entry.
        values: Every entry.
        size: Rows and columns.

    Example:
        >>> sparse_matrix(torch.tensor([1, 0]), torch.tensor([0, 2]), torch.ones(2), (2, 3)).times(torch.eye(3)).tolist()
        [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    by_row = torch.argsort(rows * size[1] + columns)
    rows, columns = rows[by_row], columns[by_row]
    starts = _starts(rows, size[0])
    return _by_columns(starts, rows, columns, values[by_row], size[1])


def _by_columns(
    starts: Tensor, rows: Tensor, columns: Tensor, values: Tensor, num_columns: int
) -> SparseMatrix:
    """Entries that are sorted row by row, sorted column by column too."""
    order = torch.argsort(columns, stable=True)
    back = torch.empty_like(order)
    back[order] = torch.arange(len(back), device=back.device)
    starts_t = _starts(columns, num_columns)
    return SparseMatrix(starts, columns, values, starts_t, rows[order], order, back)


def read_csr(matrix: Tensor) -> SparseMatrix:
    """The matrix of a tensor in compressed sparse rows; the transpose of a tensor is found once.

    Args:
        matrix: Layout ``torch.sparse_csr``.
    """

    def read() -> SparseMatrix:
        starts, columns = matrix.crow_indices().long(), matrix.col_indices().long()
        rows = torch.repeat_interleave(starts.diff())
        return _by_columns(starts, rows, columns, matrix.values(), matrix.shape[1])

    return made_once(matrix, "csr", read)


def _starts(places: Tensor, count: int) -> Tensor:
    ends = torch.bincount(places, minlength=count).cumsum(0)
    return torch.cat([ends.new_zeros(1), ends])


def _multiply(starts: Tensor, columns: Tensor, values: Tensor, x: Tensor) -> Tensor:
    """Rows of sums; half precision is summed in single."""
    wide = at_least_single(x)
    matrix = make_csr(starts, columns, values.to(wide.dtype), (len(starts) - 1, len(x)))
    with torch.autocast(x.device.type, enabled=False):
        return (matrix @ wide).to(x.dtype)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(
        values: Tensor, x: Tensor, starts: Tensor, columns: Tensor, starts_t: Tensor, rows_t: Tensor, order: Tensor, back: Tensor
    ) -> Tensor:  # fmt: skip
        return _multiply(starts, columns, values, x)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        values, x, starts, columns, starts_t, rows_t, order, back = ctx.saved_tensors
        by_values = by_x = None
        if ctx.needs_input_grad[0]:
            rows = torch.repeat_interleave(starts.diff())
            by_values = (grad[rows] * x[columns]).sum(1)
        if ctx.needs_input_grad[1]:
            by_x = _Product.apply(values[order], grad, starts_t, rows_t, starts, columns, back, order)  # fmt: skip
        return by_values, by_x, None, None, None, None, None, None
