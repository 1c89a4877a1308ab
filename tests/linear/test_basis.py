"""Basis functions: scikit-learn, direct formulas, exact fits, learned centres."""

import numpy as np
import pytest
import torch
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import PolynomialFeatures
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.linear import (
    GaussianBasis,
    fit_least_squares,
    gaussians,
    polynomial,
    sinusoids,
    translated,
)

x = torch.linspace(-2, 2, 41, dtype=torch.float64)


@pytest.mark.parametrize(("dim", "degree"), [(1, 5), (2, 3), (3, 4)])
def test_polynomial_agrees_with_scikit_learn(dim, degree):
    X = np.random.default_rng(0).normal(size=(7, dim))
    expected = PolynomialFeatures(degree, include_bias=False).fit_transform(X)
    np.testing.assert_allclose(polynomial(torch.tensor(X), degree).numpy(), expected)


def test_gaussians_agree_with_scikit_learn():
    rng = np.random.default_rng(0)
    X, centers, width = rng.normal(size=(6, 3)), rng.normal(size=(4, 3)), 0.7
    features = gaussians(torch.tensor(X), torch.tensor(centers), width)
    np.testing.assert_allclose(features.numpy(), rbf_kernel(X, centers, gamma=1 / (2 * width**2)))


def test_widths_may_differ():
    features = gaussians(torch.tensor([0.0]), torch.tensor([1.0, 1.0]), torch.tensor([1.0, 2.0]))
    assert features[0].tolist() == pytest.approx([np.exp(-1 / 2), np.exp(-1 / 8)])


def test_sinusoids_by_loop():
    X, W = torch.randn(5, 2, dtype=torch.float64), torch.randn(3, 2, dtype=torch.float64)
    features = sinusoids(X, W)
    for n in range(5):
        for k in range(3):
            angle = float(X[n, 0] * W[k, 0] + X[n, 1] * W[k, 1])
            assert features[n, k].item() == pytest.approx(np.sin(angle))
            assert features[n, 3 + k].item() == pytest.approx(np.cos(angle))


def test_fits_recover_functions_in_their_span():
    cubic = fit_least_squares(polynomial(x, 3), 1 - 2 * x + 0.5 * x**3)
    assert cubic.weight.tolist() == pytest.approx([-2, 0, 0.5], abs=1e-10)
    assert cubic.bias.item() == pytest.approx(1)
    wave = fit_least_squares(
        sinusoids(x, torch.tensor([1.0, 2.0], dtype=x.dtype)), 3 * torch.sin(2 * x) + 1
    )
    assert wave.weight.tolist() == pytest.approx([0, 3, 0, 0], abs=1e-9)
    # A piecewise linear function with kinks at 0 and 1 is a line and a sum of two translated ReLUs.
    kinked = torch.where(x < 0, x, torch.where(x < 1, 3 * x, 2 + x))
    hinges = torch.cat([x[:, None], translated(x, torch.tensor([0.0, 1.0]), torch.relu)], dim=1)
    assert fit_least_squares(hinges, kinked).weight.tolist() == pytest.approx([1, 2, -2], abs=1e-10)


def test_learned_centres_and_widths_move_to_the_data():
    bump = torch.exp(-(x[:, None] - 0.8).square() / (2 * 0.3**2))
    model = nn.Sequential(
        GaussianBasis(torch.zeros(1, dtype=x.dtype), width=1.0), nn.Linear(1, 1).double()
    )
    nn.init.ones_(model[1].weight)
    nn.init.zeros_(model[1].bias)
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=200, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = (model(x[:, None]) - bump).square().mean()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert closure().item() < 1e-6
    assert model[0].centers.item() == pytest.approx(0.8, abs=0.02)
    assert model[0].log_widths.exp().item() == pytest.approx(0.3, abs=0.02)


def test_gaussian_basis_starts_as_the_fixed_one_and_has_right_gradients():
    centers = torch.linspace(-1, 1, 4, dtype=torch.float64)
    basis = GaussianBasis(centers, width=0.5)
    torch.testing.assert_close(basis(x), gaussians(x, centers, 0.5))
    widths = torch.full((4,), 0.5, dtype=torch.float64)
    assert torch.autograd.gradcheck(
        lambda c, w: gaussians(x[:5], c, w), (centers.requires_grad_(), widths.requires_grad_())
    )


def test_errors():
    with pytest.raises(InvalidValue, match=r"polynomial: degree must be at least 1, got 0"):
        polynomial(x, 0)
    with pytest.raises(InvalidValue, match=r"GaussianBasis: width must be positive, got 0"):
        GaussianBasis(torch.zeros(1), width=0)
