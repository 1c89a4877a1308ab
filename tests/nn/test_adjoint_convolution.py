"""An adjoint is an adjoint, a transpose is a transpose."""

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.nn import (
    adjoint_convolve,
    adjoint_correlate,
    convolve,
    correlate,
    toeplitz_matrix,
)

PAIRS = [(correlate, adjoint_correlate), (convolve, adjoint_convolve)]
MODES = ("valid", "same", "full", "circular")


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(PAIRS),
    st.sampled_from(MODES),
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 5)), min_size=1, max_size=2),
    st.integers(1, 3),
    st.integers(1, 3),
    st.integers(1, 3),
)
def test_inner_products_agree(pair, mode, shape, stride, dilation, groups):
    forward, adjoint = pair
    generator = torch.Generator().manual_seed(0)
    size = [dilation * (m - 1) + 1 + extra for m, extra in shape]
    x = torch.randn(2, 2 * groups, *size, generator=generator, dtype=torch.float64)
    w = torch.randn(3 * groups, 2, *[m for m, _ in shape], generator=generator).double()
    options = {"mode": mode, "stride": stride, "dilation": dilation, "groups": groups}
    forward_x = forward(x, w, **options)
    y = torch.randn(forward_x.shape, generator=generator, dtype=torch.float64)
    back = adjoint(y, w, tuple(size), **options)
    assert back.shape == x.shape
    torch.testing.assert_close((forward_x * y).sum(), (x * back).sum())


@pytest.mark.parametrize("mode", MODES)
def test_it_is_the_transposed_matrix(mode):
    w = torch.randn(3, 2).double()
    matrix = toeplitz_matrix(w, (4, 5), mode)
    y = torch.randn(convolve(torch.zeros(4, 5).double(), w, mode=mode).shape).double()
    torch.testing.assert_close(
        adjoint_convolve(y, w, (4, 5), mode=mode).flatten(), matrix.T @ y.flatten()
    )


def test_it_is_pytorchs_transposed_convolution():
    y, w = torch.randn(2, 3, 4, 4), torch.randn(3, 5, 3, 3)
    theirs = F.conv_transpose2d(y, w, stride=2, padding=1, output_padding=1)
    torch.testing.assert_close(adjoint_correlate(y, w, 8, mode="same", stride=2), theirs)


def test_leading_axes_are_kept():
    y, w = torch.randn(2, 3, 5), torch.randn(4)
    torch.testing.assert_close(adjoint_correlate(y, w, 8)[1, 2], adjoint_correlate(y[1, 2], w, 8))


def test_errors():
    y, w = torch.zeros(2, 6, 5), torch.zeros(6, 4, 3)
    with pytest.raises(InvalidValue, match=r"adjoint_correlate: y must have the size \(7,\) that"):
        adjoint_correlate(y, w, 9)
    with pytest.raises(InvalidValue, match=r"adjoint_convolve: y must have 6 channels .*got 5"):
        adjoint_convolve(y[:, :5], w, 3)
    with pytest.raises(InvalidValue, match=r"size must be a whole number from 1.*got 0"):
        adjoint_correlate(y, w, 0)
