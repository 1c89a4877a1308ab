"""Convolution against loops, NumPy, worked numbers and the laws it obeys."""

from itertools import product

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidType, InvalidValue
from gradatim.nn import convolve, correlate

MODES = ("valid", "same", "full", "circular")
OPERATIONS = {"convolve": convolve, "correlate": correlate}


def offset(operation, mode, span):
    """Where the first place of the kernel lies, as the docstrings state it."""
    if operation == "convolve":
        return {"full": 0, "same": (span - 1) // 2, "valid": span - 1, "circular": 0}[mode]
    return {"valid": 0, "same": span // 2, "full": span - 1, "circular": 0}[mode]


def length(mode, n, span):
    return {"valid": n - span + 1, "same": n, "full": n + span - 1, "circular": n}[mode]


def by_loops(x, w, operation, mode, stride=1, dilation=1, groups=1):
    """Layer of any number of axes, one product at a time, in Python floats."""
    B, _, *size = x.shape
    outputs, inputs, *taps = w.shape
    axes = range(len(size))
    spans = [dilation * (m - 1) + 1 for m in taps]
    places = [range(0, length(mode, n, span), stride) for n, span in zip(size, spans, strict=True)]
    out = np.zeros((B, outputs, *map(len, places)))
    for b, o in product(range(B), range(outputs)):
        first = o // (outputs // groups) * inputs
        for spot in product(*(range(len(p)) for p in places)):
            total = 0.0
            for c, tap in product(range(inputs), product(*map(range, taps))):
                place = []
                for a in axes:
                    k, move = places[a][spot[a]], dilation * tap[a]
                    o_ = offset(operation, mode, spans[a])
                    place.append(k - move + o_ if operation == "convolve" else k + move - o_)
                if mode == "circular":
                    place = [p % n for p, n in zip(place, size, strict=True)]
                if all(0 <= p < n for p, n in zip(place, size, strict=True)):
                    total += float(w[(o, c, *tap)]) * float(x[(b, first + c, *place)])
            out[(b, o, *spot)] = total
    return out


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(sorted(OPERATIONS)),
    st.sampled_from(MODES),
    st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4)), min_size=1, max_size=2),
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(1, 2),
    st.sampled_from(["direct", "fft", "auto"]),
)
def test_every_form_equals_the_loops(operation, mode, shape, stride, dilation, groups, method):
    generator = torch.Generator().manual_seed(0)
    taps = [m for m, _ in shape]
    size = [dilation * (m - 1) + 1 + extra for m, extra in shape]
    x = torch.randn(2, 2 * groups, *size, generator=generator, dtype=torch.float64)
    w = torch.randn(2 * groups, 2, *taps, generator=generator, dtype=torch.float64)
    out = OPERATIONS[operation](
        x, w, mode=mode, stride=stride, dilation=dilation, groups=groups, method=method
    )
    expected = by_loops(x, w, operation, mode, stride, dilation, groups)
    np.testing.assert_allclose(out.numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("mode", ["valid", "same", "full"])
@pytest.mark.parametrize("m", [1, 2, 3, 4, 7])
def test_signals_equal_numpy(mode, m):
    rng = np.random.default_rng(m)
    x, w = rng.normal(size=9), rng.normal(size=m)
    for name, function in OPERATIONS.items():
        out = function(torch.from_numpy(x), torch.from_numpy(w), mode=mode)
        np.testing.assert_allclose(out.numpy(), getattr(np, name)(x, w, mode), atol=1e-13)


def test_an_image_and_a_filter_worked_by_hand():
    image = torch.arange(1.0, 13.0).reshape(4, 3)
    kernel = torch.tensor([[1.0, 10.0], [100.0, 1000.0]])
    # Top left: 1·1 + 2·10 + 4·100 + 5·1000.
    expected = torch.tensor([[5421.0, 6532.0], [8754.0, 9865.0], [12087.0, 13198.0]])
    assert torch.equal(correlate(image, kernel), expected)
    flipped = torch.tensor([[1000.0, 100.0], [10.0, 1.0]])
    assert torch.equal(convolve(image, flipped, mode="valid"), expected)


def test_leading_axes_are_kept():
    x, w = torch.randn(2, 3, 4, 6, 5), torch.randn(3, 2)
    out = correlate(x, w)
    assert out.shape == (2, 3, 4, 4, 4)
    torch.testing.assert_close(out[1, 2, 3], correlate(x[1, 2, 3], w))


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 9), st.integers(1, 9))
def test_full_convolution_commutes_and_associates(a, b, c):
    generator = torch.Generator().manual_seed(a + 10 * b + 100 * c)
    x, y, z = (torch.randn(n, generator=generator, dtype=torch.float64) for n in (a, b, c))
    torch.testing.assert_close(convolve(x, y), convolve(y, x))
    torch.testing.assert_close(convolve(convolve(x, y), z), convolve(x, convolve(y, z)))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(MODES), st.integers(1, 4), st.integers(1, 3))
def test_a_stride_keeps_every_sth_place(mode, stride, m):
    x = torch.randn(2, 9, 8, generator=torch.Generator().manual_seed(m)).double()
    w = torch.ones(m, m).double()
    whole = correlate(x, w, mode=mode)[:, ::stride, ::2]
    torch.testing.assert_close(correlate(x, w, mode=mode, stride=(stride, 2)), whole)


def test_circular_convolution_multiplies_spectra():
    x, w = torch.randn(12).double(), torch.randn(12).double()
    spectra = torch.fft.fft(x) * torch.fft.fft(w)
    torch.testing.assert_close(convolve(x, w, mode="circular"), torch.fft.ifft(spectra).real)


def test_gradients():
    x, w = torch.randn(2, 2, 5, 4).double(), torch.randn(4, 1, 2, 3).double()
    for method in ("direct", "fft"):
        torch.autograd.gradcheck(
            lambda x, w, method=method: correlate(
                x, w, mode="same", stride=2, groups=2, method=method
            ),
            (x.requires_grad_(), w.requires_grad_()),
        )


def test_an_empty_batch_stays_empty():
    assert correlate(torch.zeros(0, 1, 8), torch.zeros(2, 1, 3)).shape == (0, 2, 6)


@pytest.mark.parametrize("function", OPERATIONS.values(), ids=OPERATIONS)
def test_errors(function):
    name = function.__name__
    x, w = torch.zeros(1, 4, 8), torch.zeros(6, 2, 3)
    for match, call in (
        (r"mode must be one of valid, .*got 'vaild'. Try 'valid'", {"mode": "vaild"}),
        (r"method must be one of fft, .*got 'ff'", {"method": "ff"}),
        (r"stride must be a whole number from 1, or 1 of them, got 0", {"stride": 0}),
        (
            r"dilation must be a whole number from 1, or 1 of them, got \(1, 1\)",
            {"dilation": (1, 1)},
        ),
        (r"groups must divide the 6 output channels of w, got 4", {"groups": 4}),
        (r"x must have 2 channels for w of shape \(6, 2, 3\) in 1 groups, got 4", {"groups": 1}),
        (
            r"w must not reach further than x in mode 'valid', got a span of 21 on 8. Try mode='same'",
            {"dilation": 10, "mode": "valid"},
        ),
    ):
        with pytest.raises(InvalidValue, match=f"{name}: {match}"):
            function(x, w, **({"groups": 2} | call))
    with pytest.raises(InvalidValue, match=rf"{name}: x must have shape \(B, C, n\)"):
        function(x[0], w)
    with pytest.raises(InvalidValue, match=rf"{name}: x must have at least 2 axes .*\(8,\)"):
        function(torch.zeros(8), torch.zeros(2, 2))
    with pytest.raises(InvalidValue, match=rf"{name}: groups must be 1 for a kernel without"):
        function(torch.zeros(8), torch.zeros(2), groups=2)
    with pytest.raises(InvalidValue, match=rf"{name}: w must have shape .*not empty, got \(0,\)"):
        function(torch.zeros(8), torch.zeros(0))
    with pytest.raises(
        InvalidType, match=rf"{name}: x must be of a floating type, got torch.int64"
    ):
        function(torch.zeros(8, dtype=torch.int64), torch.zeros(2))
