"""Layers known to be equivariant measure zero, and layers known not to be do not."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import equivariance_error
from gradatim.nn import convolve, permutation, reflection, rotation, translation
from gradatim.randomness import seeded

X = torch.randn(3, 2, 12, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def layer(**options):
    with seeded(0):
        return nn.Conv2d(2, 2, 3, padding=1, dtype=torch.float64, **options)


@settings(max_examples=20, deadline=None)
@given(st.integers(-12, 12), st.integers(-12, 12))
def test_circular_convolution_commutes_with_every_translation(down, right):
    conv = layer(padding_mode="circular")
    assert equivariance_error(lambda x: conv(x).tanh(), translation(down, right), X) < 1e-14


def test_zeros_at_the_border_break_it_there_only():
    conv, shift = layer(), translation(1, 0)
    assert equivariance_error(conv, shift, X) > 0.05
    assert equivariance_error(conv, shift, X, margin=2) < 1e-14


def test_a_stride_keeps_translations_by_its_multiples():
    conv = layer(padding_mode="circular", stride=2)
    assert equivariance_error(conv, translation(0, 4), X, on_output=translation(0, 2)) < 1e-14
    assert equivariance_error(conv, translation(0, 3), X, on_output=translation(0, 1)) > 0.5


@pytest.mark.parametrize("transform", [reflection(), reflection(-2), rotation(90), rotation(180)])
def test_only_symmetric_kernels_commute_with_reflections_and_rotations(transform):
    cross = torch.tensor([[1.0, 2.0, 1.0], [2.0, 5.0, 2.0], [1.0, 2.0, 1.0]]).double()
    slanted = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]]).double()
    assert equivariance_error(lambda x: convolve(x, cross, mode="same"), transform, X) < 1e-14
    assert equivariance_error(lambda x: convolve(x, slanted, mode="same"), transform, X) > 0.05


def test_shared_maps_commute_with_permutations_dense_maps_do_not():
    nodes = torch.randn(2, 6, 5, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    shared, dense = nn.Linear(5, 4).double(), nn.Linear(30, 24).double()
    order = permutation([3, 0, 4, 1, 5, 2], axis=1)
    assert (
        equivariance_error(lambda x: shared(x) + shared(x).sum(1, keepdim=True), order, nodes)
        < 1e-14
    )
    assert equivariance_error(lambda x: dense(x.flatten(1)).reshape(2, 6, 4), order, nodes) > 0.1


def test_the_number_is_the_relative_error():
    x = torch.tensor([[3.0, 4.0]])
    # f(Tx) = (4, 6), T f(x) = (4, 6) swapped from (3, 8) -> (8, 3).
    error = equivariance_error(lambda x: x * torch.tensor([1.0, 2.0]), reflection(), x)
    assert error == pytest.approx((((4 - 8) ** 2 + (6 - 3) ** 2) / (8**2 + 3**2)) ** 0.5)
    assert equivariance_error(torch.zeros_like, reflection(), x) == 0.0


def test_errors():
    with pytest.raises(InvalidValue, match=r"on_output must give the shape .*\(3, 2, 12, 6\), got"):
        equivariance_error(lambda x: x, lambda x: x[..., ::2], X, on_output=lambda y: y)
    with pytest.raises(InvalidValue, match=r"margin must be from 0 and leave some .* got 6"):
        equivariance_error(layer(), translation(1, 1), X, margin=6)
