"""The ends of spectra, against dense eigenvalues, with and without restarts; and that it says when it does not know."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.instruments.lanczos import WIDTH, extreme_eigenpair


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def matrix(values, seed, dtype=torch.float64):
    d = len(values)
    Q, _ = torch.linalg.qr(torch.randn(d, d, generator=seeded(seed), dtype=torch.float64))
    return (Q @ torch.as_tensor(values).double().diag() @ Q.T).to(dtype)


def find(A, prefer, seed=0, max_steps=500, tol=1e-8):
    start = torch.randn(len(A), generator=seeded(seed), dtype=A.dtype)
    return extreme_eigenpair(A.mv, start, prefer, max_steps=max_steps, tol=tol)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 120), st.integers(0, 10**6))
def test_random_matrices_against_dense_eigenvalues(dim, seed):
    A = torch.randn(dim, dim, generator=seeded(seed), dtype=torch.float64)
    A = (A + A.T) / 2
    exact = torch.linalg.eigvalsh(A)
    low, top = find(A, torch.neg, seed), find(A, torch.abs, seed)
    assert low.is_converged
    assert low.value == pytest.approx(exact[0].item(), rel=1e-8, abs=1e-12)
    assert abs(top.value) == pytest.approx(exact.abs().max().item(), rel=1e-8, abs=1e-12)
    torch.testing.assert_close(A @ low.vector, low.value * low.vector, atol=1e-6, rtol=1e-6)
    assert low.vector.norm().item() == pytest.approx(1.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_restarts_go_on_where_the_basis_was_full(dtype):
    """Evenly spaced values need more directions than are held."""
    A = matrix(torch.linspace(1, 2, 400), 0, dtype)
    found = find(A, torch.neg, max_steps=2000, tol=1e-6)
    assert found.steps > WIDTH
    assert found.is_converged
    assert found.value == pytest.approx(1.0, rel=1e-6)


def test_what_is_not_reached_is_not_said_to_be():
    A = matrix(torch.linspace(1, 2, 400), 1)
    found = find(A, torch.neg, max_steps=10)
    assert (found.steps, found.is_converged) == (10, False)
    assert found.value >= 1.0


def test_equal_eigenvalues_end_early():
    found = find(3 * torch.eye(50).double(), torch.abs)
    assert found.steps == 1
    assert found.value == pytest.approx(3.0)
    assert find(torch.zeros(5, 5).double(), torch.neg).value == 0
