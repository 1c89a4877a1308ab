"""Lanczos against exact eigenvalues: of quadratics and of a network's full Hessian."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.instruments import hessian_product, lowest_curvature, network_objective, smoothness
from gradatim.losses import mse
from gradatim.models import MLP
from gradatim.randomness import seeded


def symmetric(eigenvalues, seed):
    generator = torch.Generator().manual_seed(seed)
    d = len(eigenvalues)
    Q, _ = torch.linalg.qr(torch.randn(d, d, generator=generator, dtype=torch.float64))
    return Q @ torch.diag(torch.tensor(eigenvalues, dtype=torch.float64)) @ Q.T


@settings(max_examples=20, deadline=None)
@given(
    eigenvalues=st.lists(st.floats(-5, 5), min_size=2, max_size=6).filter(
        lambda v: max(map(abs, v)) > 0.1
    ),
    seed=st.integers(0, 1000),
)
def test_eigenvalues_of_a_quadratic(eigenvalues, seed):
    A = symmetric(eigenvalues, seed)
    point = torch.zeros(len(eigenvalues), dtype=torch.float64)

    def h(w):
        return w @ A @ w / 2

    top = smoothness(h, point, max_steps=2000)
    assert top.value == pytest.approx(max(map(abs, eigenvalues)), rel=1e-8)
    assert top.value <= max(map(abs, eigenvalues)) * (1 + 1e-12)
    low = lowest_curvature(h, point, max_steps=2000)
    assert low.value == pytest.approx(min(eigenvalues), rel=1e-8, abs=1e-12)
    assert top.is_converged
    assert low.is_converged


@pytest.mark.parametrize(
    "eigenvalues", [[1e4, 1.5, 1.0], [1e8, 2.0, 1.0, -1e-3], [1e3] * 5 + [1.0, 0.999]]
)
@pytest.mark.parametrize("seed", range(5))
def test_low_curvatures_beside_a_huge_one(eigenvalues, seed):
    A = symmetric(eigenvalues, seed)
    point = torch.zeros(len(eigenvalues), dtype=torch.float64)
    found = lowest_curvature(lambda w: w @ A @ w / 2, point)
    truth = torch.linalg.eigvalsh(A)[0].item()
    assert found.is_converged
    assert found.value == pytest.approx(truth, rel=1e-7, abs=1e-15 * max(eigenvalues) * 100)
    rest = A @ found.direction - truth * found.direction
    assert rest.norm() < 1e-6 * max(1.0, 1e-8 * max(eigenvalues))


def test_eigenvector():
    A = symmetric([5.0, 1.0, 0.5], 1)
    top = smoothness(lambda w: w @ A @ w / 2, torch.zeros(3, dtype=torch.float64))
    assert top.is_converged
    torch.testing.assert_close(A @ top.direction, 5 * top.direction, atol=1e-3, rtol=0)


def test_two_opposite_curvatures_of_one_size():
    """Whichever of the two comes first, the norm is right."""
    found = smoothness(lambda w: 3 * w[0] * w[1], torch.zeros(2, dtype=torch.float64))
    assert found.value == pytest.approx(3.0)


def test_full_hessian_of_a_small_network():
    with seeded(0):
        model = MLP((3, 6, 1), activation="tanh").double()
        X, y = torch.randn(30, 3).double(), torch.randn(30, 1).double()
    h, theta = network_objective(model, mse, X, y)
    H = torch.autograd.functional.hessian(h, theta)
    exact = torch.linalg.eigvalsh(H)
    assert smoothness(h, theta).value == pytest.approx(exact.abs().max().item(), rel=1e-5)
    found = lowest_curvature(h, theta, max_steps=3000, tol=1e-12)
    assert found.value == pytest.approx(exact[0].item(), abs=1e-4 * exact[-1].item())
    v = torch.randn(len(theta), dtype=torch.float64)
    torch.testing.assert_close(hessian_product(h, theta)(v), H @ v)


def test_flat_functions():
    assert smoothness(lambda w: w.sum(), torch.ones(3)).value == 0
    assert lowest_curvature(lambda w: w.sum(), torch.ones(3)).value == 0


def test_too_few_iterations_are_admitted():
    A = symmetric([1.0 - 0.01 * i for i in range(30)], 0)
    found = smoothness(lambda w: w @ A @ w / 2, torch.zeros(30).double(), max_steps=3)
    assert (found.steps, found.is_converged) == (3, False)
    with pytest.raises(InvalidValue, match="smoothness: max_steps must be at least 1, got 0"):
        smoothness(lambda w: w.sum(), torch.ones(3), max_steps=0)


def test_equal_generators_give_equal_results():
    def h(w):
        return w.pow(4).sum()

    found = [
        smoothness(h, torch.ones(4), max_steps=2, generator=torch.Generator().manual_seed(s)).value
        for s in (1, 1, 2)
    ]
    assert found[0] == found[1] == pytest.approx(12, rel=1e-5)
