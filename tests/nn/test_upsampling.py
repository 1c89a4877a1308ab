"""Interpolation by transposed convolution, against PyTorch's interpolation and numbers by hand."""

import pytest
import torch
import torch.nn.functional as F

from gradatim.errors import InvalidValue
from gradatim.nn import adjoint_correlate, upsampling_kernel, upsampling_layer

X = torch.randn(2, 3, 6, 7, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("factor", [1, 2, 3, 4, 5])
def test_a_box_repeats_pixels(factor):
    size = (6 * factor, 7 * factor)
    spread = adjoint_correlate(X, upsampling_kernel(factor, "nearest"), size, stride=factor)
    torch.testing.assert_close(spread, F.interpolate(X, scale_factor=factor, mode="nearest"))
    torch.testing.assert_close(upsampling_layer(3, factor, kind="nearest")(X), spread)


@pytest.mark.parametrize("factor", [1, 2, 3, 4, 5])
def test_a_triangle_interpolates_but_for_the_border(factor):
    layer = upsampling_layer(3, factor, kind="transposed")
    bilinear = F.interpolate(X, scale_factor=factor, mode="bilinear", align_corners=False)
    out = layer(X)
    assert out.shape == bilinear.shape
    inner = (..., slice(factor, -factor), slice(factor, -factor))
    torch.testing.assert_close(out[inner], bilinear[inner], atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(upsampling_layer(3, factor)(X), bilinear)


def test_the_triangle_of_two():
    line = torch.tensor([0.25, 0.75, 0.75, 0.25])
    torch.testing.assert_close(upsampling_kernel(2), line[:, None] * line)


@pytest.mark.parametrize("factor", [2, 3, 4])
def test_a_constant_stays_constant(factor):
    out = upsampling_layer(1, factor, kind="transposed")(torch.ones(1, 1, 5, 5))
    inner = out[..., factor:-factor, factor:-factor]
    torch.testing.assert_close(inner, torch.ones_like(inner))


def test_the_learned_layer_learns():
    layer = upsampling_layer(3, kind="transposed")
    layer(X).square().sum().backward()
    assert all(p.grad is not None for p in layer.parameters())
    assert not list(upsampling_layer(3, kind="nearest").parameters())


def test_errors():
    with pytest.raises(InvalidValue, match=r"upsampling_layer: kind must be one of .*got 'cubic'"):
        upsampling_layer(3, kind="cubic")
    with pytest.raises(InvalidValue, match=r"factor must be a whole number from 1, got 0. Try 2"):
        upsampling_layer(3, 0)
    with pytest.raises(InvalidValue, match=r"upsampling_kernel: kind must be one of nearest, bil"):
        upsampling_kernel(2, "transposed")
