import pytest
import torch
from scipy.stats import norm

from gradatim.errors import InvalidValue
from gradatim.instruments import network_objective
from gradatim.losses import mse
from gradatim.models import MLP
from gradatim.theory import hessian_eigenvalues, hessian_trace, spectral_density


def quadratic(values, seed=0):
    d = len(values)
    generator = torch.Generator().manual_seed(seed)
    Q, _ = torch.linalg.qr(torch.randn(d, d, generator=generator, dtype=torch.float64))
    H = Q @ torch.as_tensor(values).double().diag() @ Q.T
    return (lambda w: w @ H @ w / 2), H


def network():
    torch.manual_seed(0)
    X, y = torch.randn(30, 3).double(), torch.randn(30, 2).double()
    h, theta = network_objective(MLP((3, 7, 2), activation="tanh").double(), mse, X, y)
    return h, theta, torch.autograd.functional.hessian(h, theta)


def test_the_largest_eigenvalues_of_a_network():
    h, theta, H = network()
    exact = torch.linalg.eigvalsh(H).flip(0)
    torch.testing.assert_close(hessian_eigenvalues(h, theta, count=5, tol=1e-8), exact[:5])


@pytest.mark.parametrize(
    "values", [[5.0, 5.0, 5.0, 2.0, -9.0], [1.0] * 6, [-1.0, -2.0, -3.0, -4.0]]
)
def test_equal_and_negative_eigenvalues(values):
    h, _ = quadratic(values)
    found = hessian_eigenvalues(h, torch.ones(len(values)).double(), count=3, tol=1e-9)
    assert found.tolist() == pytest.approx(sorted(values, reverse=True)[:3], abs=1e-7)


def test_fewer_products_than_power_iteration():
    """To three digits of the largest of 2,000 eigenvalues, in at most half the products."""
    values = torch.cat([torch.tensor([1.0, 0.97, 0.95]), torch.linspace(0, 0.9, 1997)]).double()
    v = torch.randn(2000, generator=torch.Generator().manual_seed(0)).double()
    v, power = v / v.norm(), 0
    while abs((v * values * v).sum() - 1) > 1e-3:
        v, power = values * v / (values * v).norm(), power + 1
    spent = []

    def h(w):
        w.register_hook(lambda g: spent.append(1) or g) if w.requires_grad else None
        return (values * w**2).sum() / 2

    found = hessian_eigenvalues(h, torch.ones(2000).double(), tol=5e-3)
    assert found.item() == pytest.approx(1.0, abs=1e-3)
    assert len(spent) <= power / 2


def test_the_trace_lies_within_its_error():
    h, theta, H = network()
    found = hessian_trace(h, theta, samples=400)
    assert abs(found.value - H.trace().item()) < 4 * found.error
    # Var(vᵀHv) = 2 Σ_{i≠j} H_ij² for fair coins
    spread = (2 * (H.square().sum() - H.diagonal().square().sum()) / 400).sqrt()
    assert found.error == pytest.approx(spread.item(), rel=0.25)


def test_the_density_has_the_moments_of_the_spectrum():
    h, theta, H = network()
    found = spectral_density(h, theta, samples=300, max_steps=12)
    assert found.weights.sum().item() == pytest.approx(1.0)
    assert (found.values[1:] >= found.values[:-1]).all()
    exact = torch.linalg.eigvalsh(H)
    for power in (1, 2):
        mean = (found.weights * found.values**power).sum()
        spread = exact.pow(power).std() / (300**0.5)
        assert abs(mean - exact.pow(power).mean()) < 4 * spread


def test_one_direction_sees_all_of_a_small_spectrum():
    """Gauss quadrature with d nodes is exact: the nodes are the eigenvalues, the weights their shares of the direction."""
    h, _ = quadratic([1.0, 2.0, 5.0])
    found = spectral_density(h, torch.zeros(3).double(), samples=1, seed=3)
    assert found.values.tolist() == pytest.approx([1.0, 2.0, 5.0])


def test_smoothing_keeps_the_mass():
    h, _ = quadratic([1.0, 1.0, 4.0, 4.0])
    found = spectral_density(h, torch.zeros(4).double(), samples=200)
    grid = torch.linspace(-2, 7, 901).double()
    density = found.density(grid, 0.3)
    assert density.sum().item() * 0.01 == pytest.approx(1.0, abs=1e-3)
    share = found.weights[found.values < 2].sum().item()
    expected = share * norm.pdf(grid, 1, 0.3) + (1 - share) * norm.pdf(grid, 4, 0.3)
    assert density.tolist() == pytest.approx(expected.tolist(), abs=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda h, w: hessian_eigenvalues(h, w, count=3), "count must be at most the dimension, 2, got 3"),
        (lambda h, w: hessian_eigenvalues(h, w, count=0), "count must be a whole number from 1"),
        (lambda h, w: hessian_trace(h, w, samples=1), "samples must be at least 2, got 1"),
        (lambda h, w: spectral_density(h, w, samples=0), "samples must be a whole number from 1"),
        (lambda h, w: spectral_density(h, w, seed=-1), "seed must be a whole number from 0"),
    ],
)  # fmt: skip
def test_what_is_refused(call, words):
    with pytest.raises(InvalidValue, match=words):
        call(lambda w: w.square().sum(), torch.ones(2))
