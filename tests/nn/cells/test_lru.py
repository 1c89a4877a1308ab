"""The linear recurrent unit: what its parametrization promises."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.nn import LRUCell, Recurrent, ring


def test_ring_is_even_over_its_area():
    """Half of the numbers lie inside the radius that halves the area of the ring."""
    r, phase = ring(20_000, 0.4, 0.9, math.pi, torch.Generator().manual_seed(0))
    middle = math.sqrt((0.4**2 + 0.9**2) / 2)
    assert 0.4 <= r.min() < r.max() <= 0.9
    assert (r < middle).float().mean().item() == pytest.approx(0.5, abs=0.02)
    assert phase.mean().item() == pytest.approx(math.pi / 2, abs=0.03)


@given(st.floats(-20, 5), st.floats(-100, 100))
def test_the_modulus_is_at_most_one_whatever_the_parameters(nu, phase):
    cell = LRUCell(1, 1)
    torch.nn.init.constant_(cell.nu, nu)
    torch.nn.init.constant_(cell.phase, phase)
    value = cell.eigenvalues().item()
    assert abs(value) == pytest.approx(math.exp(-math.exp(nu)), abs=1e-6)
    assert abs(value) <= 1.0 + 1e-6
    expected = complex(math.cos(phase), math.sin(phase)) * math.exp(-math.exp(nu))
    assert value == pytest.approx(expected, abs=1e-4)


def test_white_noise_gives_states_of_equal_variance_for_every_eigenvalue():
    torch.manual_seed(0)
    cell = LRUCell(4, 32, r_min=0.2, r_max=0.99).double()
    x = torch.randn(100, 400, 4, dtype=torch.float64)
    zero = torch.zeros(100, 16, dtype=torch.complex128)
    _, (h,) = cell.unroll(x, (zero,))
    expected = cell.B.square().sum((1, 2))  # |row of B|², the variance of the drive
    torch.testing.assert_close(h.abs().square().mean(0), expected, rtol=0.5, atol=0)


def test_it_is_the_real_recurrence_in_the_basis_of_its_eigenvectors():
    """A real matrix A with complex eigenvalues: h = A h + b x, y = h equals an LRU with the same spectrum."""
    A = torch.tensor([[0.8, -0.5], [0.4, 0.6]], dtype=torch.float64)
    b = torch.tensor([1.0, -2.0], dtype=torch.float64)
    values, P = torch.linalg.eig(A)
    drive = torch.linalg.solve(P, b.to(P.dtype))
    cell = LRUCell(1, 2).double()
    with torch.no_grad():
        cell.nu[0] = torch.log(-torch.log(values[0].abs()))
        cell.phase[0] = values[0].angle()
        cell.log_gamma[0] = 0.0
        cell.B[0, :, 0] = torch.view_as_real(drive[0])
        mixing = 2 * P[:, 0].conj().resolve_conj()  # twice: the other of the pair is its conjugate
        cell.C[:, 0] = torch.view_as_real(mixing)
    x, h, states = torch.randn(30, dtype=torch.float64), torch.zeros(2, dtype=torch.float64), []
    for value in x:
        h = A @ h + b * value
        states.append(h)
    y, _ = cell.unroll(x.view(1, 30, 1), (torch.zeros(1, 1, dtype=torch.complex128),))
    torch.testing.assert_close(y[0], torch.stack(states))


def test_the_state_has_half_as_many_complex_numbers():
    outputs, (h,) = Recurrent("lru", 3, 7)(torch.randn(2, 5, 3))
    assert (outputs.shape, h.shape, h.dtype) == ((2, 5, 7), (1, 2, 4), torch.complex64)


def test_errors():
    with pytest.raises(
        InvalidValue, match=r"r_min must be below r_max, both from 0 to 1, got 0\.9"
    ):
        LRUCell(1, 2, r_min=0.9, r_max=0.5)
