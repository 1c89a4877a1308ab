r"""Correlation through the Fourier transform, for kernels too long to slide.

The convolution theorem, :math:`\mathcal F(w*x)=\mathcal F(w)\,\mathcal F(x)`, turns sliding into a product; a
correlation has the complex conjugate :math:`\overline{\mathcal F(w)}` in its place.
"""

from functools import lru_cache
from math import log2, prod

import torch
from torch import Tensor

from gradatim.nn.convolution_layout import Layout, spread_out

# Nanoseconds per unit of work, fitted in float32 to 366 sizes in one and two dimensions (PyTorch 2.13, two
# cores): the choice costs 2.5 % more than the better method on the geometric mean, sliding always 69 %.
_SINGLE, _DEPTHWISE, _WIDE = 0.30, 0.05, 0.021  # one product of a sum, by how many channels meet
_START, _TRANSFORM, _MIX = (
    95_000.0,
    0.15,
    0.19,
)  # a call, one L·log2(L) unit, one product per frequency


def prefers_fft(x: Tensor, w: Tensor, layout: Layout) -> bool:
    """Whether the Fourier transform is expected to beat sliding, on a processor, for these sizes."""
    if x.device.type != "cpu" or x.dtype not in (torch.float32, torch.float64):
        return False
    rows, channels, outputs = len(x), x.shape[1], len(w)
    pairs = rows * outputs * w.shape[1]
    length = prod(_lengths(x))
    rate = _WIDE if w.shape[1] > 1 else _DEPTHWISE if channels > 1 else _SINGLE
    sliding = rate * pairs * prod(layout.output_size) * prod(w.shape[2:])
    transforms = rows * channels + w.shape[0] * w.shape[1] + rows * outputs
    spectra = _START + _TRANSFORM * transforms * length * log2(length) + _MIX * pairs * length
    return spectra < sliding


def fft_correlate(x: Tensor, w: Tensor, layout: Layout) -> Tensor:
    """Correlate ``(B, C, *size)`` with ``(O, C/groups, *taps)`` where the kernel lies within the signal.

    The transform is as long as the signal: what wraps around falls on places that are cut off.
    """
    axes = tuple(range(2, x.ndim))
    lengths = _lengths(x)
    X = torch.fft.rfftn(x, s=lengths, dim=axes)  # (B, C, *bins)
    W = torch.fft.rfftn(spread_out(w, layout.dilation), s=lengths, dim=axes).conj()
    out = torch.fft.irfftn(_mix(X, W, layout.groups), s=lengths, dim=axes)
    places = (
        slice(0, size - span + 1, stride)
        for size, span, stride in zip(x.shape[2:], layout.span, layout.stride, strict=True)
    )
    return out[(slice(None), slice(None), *places)]


def _mix(X: Tensor, W: Tensor, groups: int) -> Tensor:
    """Sum over a group's channels at every frequency."""
    grouped = X.unflatten(1, (groups, -1))  # (B, g, I, *bins)
    filters = W.unflatten(0, (groups, -1))  # (g, O, I, *bins)
    if W.shape[1] == 1:
        return (grouped * filters.squeeze(2)).flatten(1, 2)
    # One matrix product per frequency; bins in front make it several times faster than an einsum.
    left = grouped.flatten(3).permute(3, 1, 0, 2).contiguous()  # (bins, g, B, I)
    right = filters.flatten(3).permute(3, 0, 2, 1).contiguous()  # (bins, g, I, O)
    out = (left @ right).permute(2, 1, 3, 0)  # (B, g, O, bins)
    return out.reshape(len(X), len(W), *X.shape[2:])


def _lengths(x: Tensor) -> list[int]:
    return [_fast_length(size) for size in x.shape[2:]]


@lru_cache
def _fast_length(size: int) -> int:
    """The next length that is a product of twos, threes and fives."""
    odds = [3**i * 5**j for i in range(21) for j in range(14)]
    return min(odd << ((size - 1) // odd).bit_length() for odd in odds)
