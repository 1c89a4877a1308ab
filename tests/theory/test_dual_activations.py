import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.nn.activations import ACTIVATIONS, activation, value_and_derivative
from gradatim.theory.dual_activations import CLOSED, _by_quadrature, dual_activation


def doubles(*values):
    return [torch.tensor(value, dtype=torch.float64) for value in values]


variances = st.floats(0.01, 10.0)


@given(a=variances, b=variances, cosine=st.floats(-1, 1))
@pytest.mark.parametrize("name", CLOSED)
def test_quadrature_meets_the_closed_forms(name, a, b, cosine):
    a, b, c = doubles(a, b, cosine * math.sqrt(a * b))
    for found, known in zip(_by_quadrature(name, a, b, c), CLOSED[name](a, b, c), strict=True):
        assert found.item() == pytest.approx(known.item(), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", sorted(set(ACTIVATIONS) - {"step", "sign"}))
def test_a_fine_grid_gives_the_same(name):
    """The trapezoidal rule over both Gaussians, u and v = ρu + √(1 − ρ²)w."""
    a, b, rho = 1.7, 0.6, -0.4
    x = torch.linspace(-9, 9, 2400, dtype=torch.float64)  # no node at the kink
    w = torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])
    module = activation(name).double()
    at_u = value_and_derivative(module, math.sqrt(a) * x)
    v = math.sqrt(b) * (rho * x[:, None] + math.sqrt(1 - rho**2) * x)
    expected = [(w * u) @ (at_v @ w) for u, at_v in zip(at_u, value_and_derivative(module, v), strict=True)]  # fmt: skip
    found = dual_activation(name, *doubles(a, b, rho * math.sqrt(a * b)))
    assert found.values.item() == pytest.approx(expected[0].item(), abs=1e-6)
    assert found.derivatives.item() == pytest.approx(
        expected[1].item(), abs=3e-5
    )  # the grid misses jumps


def test_signs_agree_by_the_angle():
    """Sheppard: P(u and v of one sign) = 1 − θ/π."""
    cosines = torch.linspace(-1, 1, 9, dtype=torch.float64)
    one = torch.ones_like(cosines)
    expected = 1 - 2 * np.arccos(cosines.numpy()) / math.pi
    assert dual_activation("sign", one, 4 * one, 2 * cosines).values.numpy() == pytest.approx(expected, abs=1e-12)  # fmt: skip


@pytest.mark.parametrize("name", ["relu", "tanh"])
def test_nothing_in_gives_the_value_at_zero(name):
    zero, one = doubles(0.0, 1.0)
    assert dual_activation(name, zero, one, zero).values.item() == pytest.approx(0.0, abs=1e-12)
