"""Products with sparse matrices, against dense ones."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.autograd import gradcheck, gradgradcheck

from gradatim.nn import sparse_matrix
from gradatim.nn.sparse_matrix import SparseMatrix
from gradatim.nn.sparse_pattern import merge_places

from .graph_cases import adjacencies


def normal(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(seed))


def scattered(rows=5, columns=4, count=9):
    """A pattern that is neither square nor symmetric, with an empty row and an empty column."""
    places = torch.tensor([0, 2, 3, 4, 6, 8, 10, 16, 18])[:count]
    return merge_places(places // columns, places % columns, (rows, columns))[0]


def sparse(A):
    rows, columns = A.nonzero().T
    return SparseMatrix(merge_places(rows, columns, tuple(A.shape))[0], A[rows, columns])


def dense(S):
    whole = torch.zeros(*S.shape, *S.values.shape[1:], dtype=S.values.dtype)
    whole[S.pattern.rows.long(), S.pattern.columns.long()] = S.values
    return whole


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=40))
def test_places_are_sorted_and_merged(places):
    rows, columns = torch.tensor(places, dtype=torch.long).reshape(-1, 2).T
    pattern, entry = merge_places(rows, columns, (5, 7))
    expected = sorted(set(places))
    assert list(zip(pattern.rows.tolist(), pattern.columns.tolist(), strict=True)) == expected
    assert [expected[k] for k in entry.tolist()] == places
    turned = sorted((b, a) for a, b in expected)
    starts, by_rows, order = pattern.by_column
    found = torch.repeat_interleave(starts.diff()).tolist()
    assert list(zip(found, by_rows.tolist(), strict=True)) == turned
    assert [expected[k][::-1] for k in order.tolist()] == turned


@given(adjacencies())
def test_a_symmetric_matrix_is_its_own_transpose(A):
    S = sparse(A)
    assert S.pattern.by_column.rows is S.pattern.columns
    assert S.values_by_column is S.values


@pytest.mark.parametrize("heads", [None, 3])
@pytest.mark.parametrize("chunk", [1, sparse_matrix.CHUNK])
def test_the_product_and_its_derivatives_are_those_of_the_dense_one(heads, chunk, monkeypatch):
    monkeypatch.setattr(sparse_matrix, "CHUNK", chunk)
    pattern, several = scattered(), [] if heads is None else [heads]
    values, x = normal(9, *several).requires_grad_(), normal(4, *several, 2).requires_grad_()

    def times(values, x):
        return SparseMatrix(pattern, values).times(x)

    equation = "ij,jf->if" if heads is None else "ijh,jhf->ihf"
    expected = torch.einsum(equation, dense(SparseMatrix(pattern, values)), x)
    torch.testing.assert_close(times(values, x), expected)
    torch.testing.assert_close(torch.func.vmap(times, (None, 0))(values, x[None])[0], expected)
    for inputs in ((values, x), (values.detach(), x), (values, x.detach())):
        assert gradcheck(times, inputs)
        assert gradgradcheck(times, inputs)


@given(adjacencies(is_directed=True))
def test_a_fixed_matrix_passes_the_gradient_of_its_transpose(A):
    S, x = sparse(A), normal(len(A), 3).requires_grad_()
    upstream = normal(len(A), 3, seed=1)
    (found,) = torch.autograd.grad(S.times(x), x, upstream)
    torch.testing.assert_close(found, A.T @ upstream)


def test_nothing_is_transposed_where_no_gradient_is_wanted():
    S = SparseMatrix(scattered(), normal(9))
    S.times(normal(4, 2))
    assert "by_column" not in vars(S.pattern)


def test_half_precision_is_summed_in_single():
    ones = sparse(torch.ones(1, 5000))
    x = torch.ones(5000, 1, dtype=torch.bfloat16)  # its own sum would stop at 256
    found = ones.times(x)
    assert found.dtype == torch.bfloat16
    assert found.item() == 4992.0  # the nearest to 5,000 that it has


def test_no_entries_at_all():
    S = SparseMatrix(scattered(count=0), normal(0).requires_grad_())
    x = normal(4, 2).requires_grad_()
    y = S.times(x)
    assert bool((y == 0).all())
    assert y.shape == (5, 2)
    by_values, by_x = torch.autograd.grad(y.sum(), (S.values, x))
    assert by_values.shape == (0,)
    assert bool((by_x == 0).all())
