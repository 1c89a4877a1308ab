import re

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.theory import count_regions, product_network, sawtooth_network, square_network


def tent(x):
    return 1 - np.abs(2 * x - 1)


@pytest.mark.parametrize("depth", [1, 2, 3, 6])
def test_sawtooth_is_the_iterated_tent(depth):
    x = np.linspace(0, 1, 513)
    expected = x
    for _ in range(depth):
        expected = tent(expected)
    net = sawtooth_network(depth, dtype=torch.float64)
    np.testing.assert_array_equal(net(torch.tensor(x)[:, None]).detach().numpy()[:, 0], expected)


@pytest.mark.parametrize("depth", [1, 2, 5, 10])
def test_sawtooth_has_two_to_the_depth_pieces_from_two_units_per_layer(depth):
    net = sawtooth_network(depth, dtype=torch.float64)
    assert net.sizes == (1, *[2] * depth, 1)
    regions = count_regions(net, [(0, 1)])
    assert regions.count == 2**depth
    assert set(np.abs(regions.weights).ravel()) == {2.0**depth}


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
def test_square_interpolates_and_stays_within_its_bound(depth):
    net = square_network(depth, dtype=torch.float64)
    knots = torch.linspace(0, 1, 2**depth + 1, dtype=torch.float64)[:, None]
    assert torch.equal(net(knots), knots.square())  # dyadic numbers are exact
    middles = (knots[1:] + knots[:-1]) / 2
    assert torch.equal(
        net(middles) - middles.square(), torch.full_like(middles, 2.0 ** (-2 * (depth + 1)))
    )
    x = torch.linspace(0, 1, 3001, dtype=torch.float64)[:, None]
    error = net(x) - x.square()
    assert error.min() >= -1e-15
    assert error.max() <= 2.0 ** (-2 * (depth + 1)) + 1e-15
    assert net.sizes == (1, *[3] * depth, 1)


@settings(max_examples=30, deadline=None)
@given(
    depth=st.integers(1, 8),
    bound=st.sampled_from([0.5, 1.0, 3.0]),
    x=st.floats(-1, 1),
    y=st.floats(-1, 1),
)
def test_product_within_its_bound(depth, bound, x, y):
    x, y = bound * x, bound * y
    net = product_network(depth, bound=bound, dtype=torch.float64)
    value = net(torch.tensor([[x, y]], dtype=torch.float64)).item()
    assert abs(value - x * y) <= bound**2 * (2.0 ** (-2 * (depth + 1)) + 1e-13)
    assert net.sizes == (2, 4, *[6] * depth, 1)


def test_product_is_symmetric_and_exact_with_zero():
    net = product_network(3, dtype=torch.float64)
    x = torch.rand(50, 2, dtype=torch.float64) * 2 - 1
    torch.testing.assert_close(net(x), net(x.flip(1)))
    x[:, 1] = 0.0
    assert net(x).abs().max() < 1e-15


@settings(max_examples=25, deadline=None)
@given(
    depth=st.integers(1, 7),
    bound=st.sampled_from([0.5, 1.0, 2.0]),
    x=st.lists(st.floats(-1, 1), min_size=2, max_size=9),
)
def test_products_of_many_factors_within_their_bound(depth, bound, x):
    factors = bound * np.array(x)
    net = product_network(depth, factors=len(x), bound=bound, dtype=torch.float64)
    value = net(torch.tensor(factors)[None]).item()
    places = 2 ** int(np.ceil(np.log2(len(x))))
    error = abs(value - np.prod(factors))
    assert error <= bound ** len(x) * ((places - 1) * 2.0 ** (-2 * (depth + 1)) + 1e-12)
    levels = int(np.log2(places))
    assert len(net.sizes) == 2 + levels * (depth + 1)  # log n times as deep as a product of two
    assert max(net.sizes) <= 6 * places // 2


def test_one_factor_of_zero_makes_a_product_of_many_zero():
    x = torch.rand(20, 5, dtype=torch.float64) * 2 - 1
    x[torch.arange(20), torch.arange(20) % 5] = 0.0
    assert product_network(2, factors=5, dtype=torch.float64)(x).abs().max() < 1e-14


def test_a_product_needs_two_factors():
    with pytest.raises(ValueError, match=r"product_network: factors must be at least 2, got 1\."):
        product_network(2, factors=1)


@pytest.mark.parametrize("build", [sawtooth_network, square_network, product_network])
def test_depth_must_be_positive(build):
    message = f"{build.__name__}: depth must be >= 1, got 0."
    with pytest.raises(ValueError, match=re.escape(message)):
        build(0)


def test_bound_must_be_positive():
    with pytest.raises(ValueError, match=r"product_network: bound must be positive, got 0\."):
        product_network(2, bound=0)
