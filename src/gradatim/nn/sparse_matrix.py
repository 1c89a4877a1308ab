r"""A sparse matrix that is multiplied by in both directions, as every step of training does.

.. math:: Y = SX, \qquad \frac{\partial\ell}{\partial X} = S^\top \frac{\partial\ell}{\partial Y}, \qquad
    \frac{\partial\ell}{\partial s_{ij}} = \Bigl\langle \frac{\partial\ell}{\partial y_i}, x_j \Bigr\rangle

The transpose is found once and kept, where PyTorch would sort the entries again in every backward pass; a symmetric matrix is
its own. Nothing that is kept has a row for every entry.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from gradatim.data.sparse_rows import make_csr
from gradatim.hidden_values import is_transformed
from gradatim.made_once import made_once
from gradatim.nn.plain_path import at_least_single
from gradatim.nn.sparse_pattern import SparsePattern, make_pattern

CHUNK = 2**19  # numbers of a product that are there at a time


@dataclass(frozen=True, eq=False)
class SparseMatrix:
    """A matrix :math:`S`, or several with entries in the same places.

    Args:
        pattern: Where entries are.
        values: Every entry, row by row, shape ``(E,)``; of several matrices ``(E, H)``.

    Example:
        >>> S = read_csr(torch.eye(2).to_sparse_csr())
        >>> S.with_values(torch.tensor([2.0, 3.0])).times(torch.ones(2, 1)).flatten()
        tensor([2., 3.])
    """

    pattern: SparsePattern
    values: Tensor

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.pattern.shape

    @cached_property
    def values_by_column(self) -> Tensor:
        """Every entry, column by column; those of a symmetric matrix are the same."""
        found = self.values.index_select(0, self.pattern.by_column.order)
        return self.values if torch.equal(found, self.values) else found

    def with_values(self, values: Tensor) -> "SparseMatrix":
        """Other entries in the same places."""
        return SparseMatrix(self.pattern, values)

    def to_tensor(self) -> Tensor:
        """The matrix as a tensor in compressed sparse rows."""
        starts, columns = self.pattern.starts.long(), self.pattern.columns.long()
        return make_csr(starts, columns, self.values, self.shape)

    def times(self, x: Tensor) -> Tensor:
        """Multiply with ``x``, shape ``(columns, F)``, of several matrices ``(columns, H, F)``; gradients reach ``x`` and ``values``."""
        values = self.values.to(x.dtype)
        if is_transformed():
            columns, rows = self.pattern.columns.long(), self.pattern.rows.long()
            terms = values[..., None] * x.index_select(0, columns)
            return x.new_zeros(self.shape[0], *x.shape[1:]).index_add(0, rows, terms)
        is_fixed = values is self.values and not values.requires_grad
        goes_back = torch.is_grad_enabled() and x.requires_grad
        kept = self.values_by_column if is_fixed and goes_back else None
        found: Tensor = _Product.apply(values, x, kept, self.pattern, False)
        return found


def read_csr(matrix: Tensor) -> SparseMatrix:
    """The matrix of a tensor in compressed sparse rows, read once.

    Args:
        matrix: Layout ``torch.sparse_csr``.
    """

    def read() -> SparseMatrix:
        pattern = make_pattern(matrix.crow_indices(), matrix.col_indices(), matrix.shape[1])
        return SparseMatrix(pattern, matrix.values())

    return made_once(matrix, "csr", read)


class _Product(torch.autograd.Function):
    """The product with a matrix, or with its transpose where ``is_turned``."""

    # ``setup_context`` would serve transforms, which never come here, and look up this signature in every call
    @staticmethod
    def forward(
        ctx: Any, values: Tensor, x: Tensor, by_column: Tensor | None, pattern: SparsePattern, is_turned: bool
    ) -> Tensor:  # fmt: skip
        ctx.save_for_backward(values, x if ctx.needs_input_grad[0] else None, by_column)
        ctx.pattern, ctx.is_turned = pattern, is_turned
        if not is_turned:
            return _multiply(pattern.starts, pattern.columns, values, x)
        starts, rows, order = pattern.by_column
        if by_column is None:
            by_column = values.index_select(0, order)
        return _multiply(starts, rows, by_column, x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (values, x, by_column), pattern = ctx.saved_tensors, ctx.pattern
        by_values = by_x = None
        if ctx.needs_input_grad[0]:
            by_values = _multiply_at(pattern, *((x, grad) if ctx.is_turned else (grad, x)))
        if ctx.needs_input_grad[1]:
            by_x = _Product.apply(values, grad, by_column, pattern, not ctx.is_turned)
        return by_values, by_x, None, None, None


def _multiply(starts: Tensor, columns: Tensor, values: Tensor, x: Tensor) -> Tensor:
    """Rows of sums, of several matrices one by one; half precision is summed in single."""
    wide, size = at_least_single(x), (len(starts) - 1, len(x))
    values = values.to(wide.dtype)
    with torch.autocast(x.device.type, enabled=False):
        if values.ndim == 1:
            return (make_csr(starts, columns, values, size) @ wide).to(x.dtype)
        pairs = zip(values.unbind(1), wide.transpose(0, 1).contiguous(), strict=True)
        found = [make_csr(starts, columns, w.contiguous(), size) @ v for w, v in pairs]
        return torch.stack(found, 1).to(x.dtype)


def _multiply_at(pattern: SparsePattern, left: Tensor, right: Tensor) -> Tensor:
    """Products of rows ``left[i]`` and ``right[j]`` at the places of entries, some at a time."""
    size = max(CHUNK // max(left[0].numel(), 1), 1)
    places = zip(pattern.rows.split(size), pattern.columns.split(size), strict=True)
    one = left.new_ones(left.shape[-1])
    return torch.cat([left.index_select(0, i) * right.index_select(0, j) @ one for i, j in places])
