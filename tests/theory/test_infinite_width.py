import math

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.models import NTKMLP
from gradatim.nn.activations import ACTIVATIONS
from gradatim.theory import analytic_kernels, empirical_ntk, ntk_kappa


def rows(count=5, dim=3, seed=0):
    return torch.randn(count, dim, generator=torch.Generator().manual_seed(seed)).double()


def test_two_layers_of_relu_are_kappa():
    x = rows()
    norms = x.norm(dim=1)
    cosines = (x @ x.T / norms / norms[:, None]).clamp(-1, 1)
    expected = 2 * norms * norms[:, None] / 3 * ntk_kappa(cosines)
    torch.testing.assert_close(analytic_kernels(x).ntk, expected)


def test_kappa_worked_numbers():
    u = torch.tensor([-1.0, 0.0, 0.5, 1.0], dtype=torch.float64)
    expected = [0.0, 1 / math.pi, 2 / 3 + math.sqrt(0.75) / math.pi, 2.0]
    assert ntk_kappa(u).tolist() == pytest.approx(expected)
    with pytest.raises(InvalidValue, match=r"^ntk_kappa: u must be cosines, in \[-1, 1\], got values up to 2\.$"):  # fmt: skip
        ntk_kappa([0.0, 2.0])


def test_one_layer_is_linear_regression():
    x = rows()
    for kernel in analytic_kernels(x, depth=1, weight_variance=3.0, bias_variance=0.5):
        torch.testing.assert_close(kernel, x @ x.T + 0.5)


def test_the_linear_network_has_the_kernel_of_its_inputs():
    """K = σ_w^(2L) xᵀx'/d without biases, and as many equal terms as layers in the tangent kernel."""
    x = rows()
    found = analytic_kernels(x, depth=4, activation="identity", weight_variance=1.5)
    torch.testing.assert_close(found.nngp, 1.5**4 * x @ x.T / 3)
    torch.testing.assert_close(found.ntk, 4 * found.nngp)


def test_relu_keeps_the_size_of_signals_at_variance_two():
    x = rows()
    kernel = analytic_kernels(x, depth=7).nngp
    torch.testing.assert_close(kernel.diagonal(), 2 * x.square().sum(1) / 3)


@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_random_wide_networks_have_these_kernels_on_average(activation):
    x, other = rows(3, seed=1), rows(2, seed=2)
    settings = {"activation": activation, "weight_variance": 1.5, "bias_variance": 0.3}
    expected = analytic_kernels(x, other, depth=3, **settings)
    outputs, tangents = [], []
    for _ in range(60):
        model = NTKMLP((3, 200, 200, 10), **settings).double()
        with torch.no_grad():
            outputs.append(model(x) @ model(other).T / 10)
        tangents.append(empirical_ntk(model, x, other, kind="trace") / 10)
    for found, known in ((outputs, expected.nngp), (tangents, expected.ntk)):
        draws = torch.stack(found)
        error = draws.std(0) / math.sqrt(len(draws))
        assert ((draws.mean(0) - known).abs() < 4 * error + 0.02 * known.abs()).all()


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_kernels_are_symmetric_and_positive_semidefinite(activation):
    x = rows(6)
    for kernel in analytic_kernels(x, depth=3, activation=activation, bias_variance=0.1):
        torch.testing.assert_close(kernel, kernel.T)
        assert torch.linalg.eigvalsh(kernel).min() > -1e-6


def test_blocks_of_two_sets_are_parts_of_the_kernel_of_both():
    x, other = rows(4, seed=1), rows(3, seed=2)
    whole = analytic_kernels(torch.cat([x, other]), activation="erf", bias_variance=0.2)
    for part, kernel in zip(analytic_kernels(x, other, activation="erf", bias_variance=0.2), whole, strict=True):  # fmt: skip
        torch.testing.assert_close(part, kernel[:4, 4:])


def test_numpy_images_and_single_precision():
    x = rows(4, 12).float()
    kernel = analytic_kernels(x.view(4, 3, 2, 2).numpy()).ntk
    assert kernel.dtype == torch.float32
    np.testing.assert_allclose(kernel, analytic_kernels(x.double()).ntk, rtol=1e-6)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"depth": 0}, "depth must be a whole number from 1, got 0"),
        ({"activation": "rely"}, "activation must be one of relu"),
        ({"weight_variance": 0.0}, "weight_variance must be positive and finite, got 0.0"),
        ({"bias_variance": -1.0}, "bias_variance must be at least 0 and finite, got -1.0"),
        ({"x2": torch.ones(2, 4)}, "x1 and x2 must be rows of one width, at least 1, got 3 and 4"),
    ],
)
def test_what_is_refused(change, words):
    with pytest.raises(InvalidValue, match=f"^analytic_kernels: {words}"):
        analytic_kernels(rows(), **change)
