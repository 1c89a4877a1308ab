import re
from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.theory import count_regions, mlp_with_weights, relu_interpolant, xor_network

CORNERS = torch.tensor(list(product((0.0, 1.0), repeat=2)))
XOR = torch.tensor([0, 1, 1, 0]).bool()


@pytest.mark.parametrize("output_bias", [-0.5, 0.0, -0.999])
def test_xor_decides_the_four_inputs(output_bias):
    model = xor_network(output_bias=output_bias)
    assert torch.equal(model(CORNERS).flatten() > 0, XOR)
    assert model.sizes == (2, 2, 1)


def test_xor_values_with_and_without_output_bias():
    assert xor_network()(CORNERS).flatten().tolist() == [-0.5, 0.5, 0.5, -0.5]
    assert xor_network(output_bias=0.0)(CORNERS).flatten().tolist() == [0.0, 1.0, 1.0, 0.0]


@pytest.mark.parametrize("output_bias", [-1.0, 0.1])
def test_xor_refuses_a_bias_that_decides_wrongly(output_bias):
    message = f"xor_network: output_bias must be in (-1, 0], got {output_bias}. Try -0.5."
    with pytest.raises(ValueError, match=re.escape(message)):
        xor_network(output_bias=output_bias)


def test_set_weights_leave_the_random_state_alone():
    state = torch.random.get_rng_state()
    mlp_with_weights([(np.eye(2), np.zeros(2)), (np.ones((1, 2)), [1.0])])
    assert torch.equal(torch.random.get_rng_state(), state)


@settings(max_examples=40, deadline=None)
@given(
    gaps=st.lists(st.floats(0.05, 2.0), min_size=1, max_size=20),
    seed=st.integers(0, 10_000),
    first=st.floats(-5, 5),
)
def test_interpolant_equals_numpy(gaps, seed, first):
    knots = first + np.concatenate(([0.0], np.cumsum(gaps)))
    values = np.random.default_rng(seed).normal(size=len(knots))
    net = relu_interpolant(knots, values, dtype=torch.float64)
    x = np.concatenate((knots, np.linspace(knots[0] - 1, knots[-1], 101)))
    expected = np.interp(x, knots, values)  # constant to the left, as here
    outputs = net(torch.tensor(x)[:, None]).detach().numpy().ravel()
    np.testing.assert_allclose(outputs, expected, atol=1e-9)
    assert net.sizes == (1, len(knots) - 1, 1)


def test_interpolant_continues_the_last_slope():
    net = relu_interpolant([0.0, 1.0, 3.0], [0.0, 2.0, 6.5], dtype=torch.float64)
    assert net(torch.tensor([[5.0]]).double()).item() == pytest.approx(6.5 + 2 * 2.25)


def test_interpolant_has_a_piece_between_every_two_knots():
    knots = np.linspace(-1, 1, 12)
    net = relu_interpolant(knots, np.cos(5 * knots), dtype=torch.float64)
    regions = count_regions(net, [(-1, 1)])
    np.testing.assert_allclose(regions.breakpoints, knots[1:-1], atol=1e-12)


def test_interpolation_error_of_sin_is_within_h_squared_over_eight():
    for pieces in (4, 16, 64):
        knots = np.linspace(-np.pi, np.pi, pieces + 1)
        net = relu_interpolant(knots, np.sin(knots), dtype=torch.float64)
        x = torch.linspace(-torch.pi, torch.pi, 5001, dtype=torch.float64)[:, None]
        error = (net(x) - x.sin()).abs().max().item()
        bound = (2 * np.pi / pieces) ** 2 / 8
        assert 0.5 * bound < error <= bound * (1 + 1e-9)


@pytest.mark.parametrize(
    ("knots", "values", "message"),
    [
        ([0.0], [1.0], "knots must be two or more increasing numbers, got [0.0]"),
        ([0.0, 2.0, 1.0], [1.0] * 3, "knots must be two or more increasing numbers"),
        ([0.0, 1.0], [1.0] * 3, "values must be one number per knot, (2,), got (3,)"),
    ],
)
def test_interpolant_refuses(knots, values, message):
    with pytest.raises(ValueError, match=re.escape(f"relu_interpolant: {message}")):
        relu_interpolant(knots, values)
