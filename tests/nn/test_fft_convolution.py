"""Spectra give what sliding gives; the choice between them follows the work."""

import pytest
import torch

from gradatim.nn import correlate
from gradatim.nn.convolution_layout import Sliding, plan
from gradatim.nn.fft_convolution import _fast_length, prefers_fft


def prefers(x_shape, w_shape, *, dtype=torch.float32, groups=1, stride=1):
    x, w = torch.empty(x_shape, dtype=dtype), torch.empty(w_shape, dtype=dtype)
    layout = plan(Sliding("test", "valid", stride, groups=groups), x_shape[2:], w)
    return prefers_fft(x, w, layout)


# Timings of both methods, PyTorch 2.13 on two cores, differed by more than three times at these sizes.
@pytest.mark.parametrize(
    ("x_shape", "w_shape", "expected"),
    [
        ((1, 1, 16384), (1, 1, 4096), True),  # 124 ms against 0.6
        ((64, 1, 1024), (1, 1, 64), True),  # 1.3 ms against 0.2
        ((1, 1, 512, 512), (1, 1, 33, 33), True),  # 65 ms against 1.9
        ((32, 16, 1024), (16, 16, 256), True),  # 23 ms against 2.9
        ((1, 1, 4096), (1, 1, 4), False),  # 16 µs against 122
        ((1, 16, 128, 128), (16, 16, 3, 3), False),  # 0.7 ms against 9.5
        ((16, 64, 32, 32), (64, 64, 3, 3), False),  # 7 ms against 19
    ],
)
def test_the_choice_agrees_with_measurements(x_shape, w_shape, expected):
    assert prefers(x_shape, w_shape) is expected


def test_a_stride_speaks_for_sliding():
    shapes = (1, 1, 16384), (1, 1, 512)
    assert prefers(*shapes)
    assert not prefers(*shapes, stride=64)


def test_types_without_a_transform_slide():
    assert not prefers((1, 1, 16384), (1, 1, 4096), dtype=torch.bfloat16)


def test_long_kernels_are_as_accurate_as_single_precision_allows():
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(2, 3, 2000, generator=generator)
    w = torch.randn(4, 3, 500, generator=generator)
    exact = correlate(x.double(), w.double(), mode="same", method="direct")
    fast = correlate(x, w, mode="same", method="fft")
    assert (fast - exact).norm() / exact.norm() < 1e-6


def test_lengths_are_the_next_smooth_numbers():
    def is_smooth(n):
        for prime in (2, 3, 5):
            while n % prime == 0:
                n //= prime
        return n == 1

    for size in [*range(1, 300), 4097, 99991]:
        found = _fast_length(size)
        assert is_smooth(found)
        assert not any(is_smooth(n) for n in range(size, found))
