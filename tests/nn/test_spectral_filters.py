import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.nn import (
    chebyshev_filter,
    graph_fourier,
    heat_kernel,
    laplacian,
    polynomial_filter,
    spectral_filter,
)

from .graph_cases import adjacencies, edges_of


def matrix(A, kind="symmetric"):
    weight = torch.ones(edges_of(A).shape[1], dtype=torch.float64)
    return laplacian(edges_of(A), len(A), kind=kind, edge_weight=weight)


def signal(A, width=2):
    return torch.randn(len(A), width, dtype=torch.float64, generator=torch.Generator().manual_seed(1))  # fmt: skip


@given(adjacencies(), st.lists(st.floats(-2, 2), min_size=1, max_size=5))
def test_polynomial_chebyshev_and_spectral_filters_agree(A, alpha):
    L, x = matrix(A), signal(A)
    found = polynomial_filter(x, L, alpha)
    by_hand = sum(a * torch.linalg.matrix_power(L.to_dense(), k) @ x for k, a in enumerate(alpha))
    torch.testing.assert_close(found, by_hand)
    spectral = spectral_filter(x, L, lambda f: sum(a * f**k for k, a in enumerate(alpha)))
    torch.testing.assert_close(found, spectral)
    chebyshev = chebyshev_filter(x, L, alpha, largest=2.0)
    theirs = spectral_filter(x, L, lambda f: sum(a * torch.cos(k * torch.arccos((f - 1).clamp(-1, 1))) for k, a in enumerate(alpha)))  # fmt: skip
    torch.testing.assert_close(chebyshev, theirs, rtol=1e-6, atol=1e-6)


@given(adjacencies())
def test_the_basis_diagonalizes(A):
    L = matrix(A, "combinatorial")
    frequencies, U = graph_fourier(L)
    torch.testing.assert_close(U @ torch.diag(frequencies) @ U.T, L.to_dense())
    torch.testing.assert_close(U.T @ U, torch.eye(len(A), dtype=torch.float64))


@given(adjacencies(), st.floats(0.0, 40.0))
def test_heat_is_the_matrix_exponential_and_is_kept(A, time):
    L, x = matrix(A, "combinatorial"), signal(A)
    found = heat_kernel(x, L, time)
    torch.testing.assert_close(found, torch.linalg.matrix_exp(-time * L.to_dense()) @ x, rtol=1e-6, atol=1e-6)  # fmt: skip
    torch.testing.assert_close(found.sum(0), x.sum(0), rtol=1e-6, atol=1e-6)


def test_a_filter_of_order_k_is_zero_beyond_k_steps():
    path = torch.diag(torch.ones(9), 1) + torch.diag(torch.ones(9), -1)
    impulse = torch.zeros(10, dtype=torch.float64)
    impulse[0] = 1.0
    found = polynomial_filter(impulse, matrix(path), [1.0, -0.5, 0.3, 0.2])
    assert bool((found[4:] == 0).all())
    assert bool((found[:4] != 0).all())


def test_a_product_of_signals_would_depend_on_signs_of_eigenvectors():
    path = torch.diag(torch.ones(3), 1) + torch.diag(torch.ones(3), -1)
    U = graph_fourier(matrix(path)).basis
    x, y = signal(path).T
    other = U * torch.tensor([1.0, -1.0, 1.0, 1.0])
    first, second = (B @ ((B.T @ x) * (B.T @ y)) for B in (U, other))
    assert not torch.allclose(first, second)


def test_sparse_and_dense_matrices_and_single_signals_are_the_same():
    path = torch.diag(torch.ones(3), 1) + torch.diag(torch.ones(3), -1)
    L, x = matrix(path), signal(path)
    for function in (polynomial_filter, chebyshev_filter):
        whole = function(x, L, [1.0, 2.0, 3.0])
        torch.testing.assert_close(function(x, L.to_dense(), [1.0, 2.0, 3.0]), whole)
        torch.testing.assert_close(function(x[:, 0], L, [1.0, 2.0, 3.0]), whole[:, 0])


def test_mistakes_are_refused():
    L = torch.tensor([[1.0, -1.0], [0.0, 0.0]])
    with pytest.raises(InvalidValue, match="graph_fourier: L must be symmetric"):
        graph_fourier(L)
    with pytest.raises(InvalidValue, match="coefficients must be a list of at least one number"):
        polynomial_filter(torch.ones(2), L, [])
    with pytest.raises(InvalidValue, match="heat_kernel: time must be at least 0, got -1"):
        heat_kernel(torch.ones(2), L, -1.0)
