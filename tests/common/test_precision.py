"""What every public module does in half precision, brain float and double, and under autocast.

It runs forward and backward, keeps its dtype, stays finite, and agrees with single precision within the rounding of
the dtype. Complex states have at least single precision.
"""

import pytest
import torch

from gradatim import nn as layers
from gradatim.randomness import seeded

from .recurrences import RECURRENCES
from .test_modules import CASES, run

EVERY = CASES | RECURRENCES
TOLERANCE = {torch.float16: 0.01, torch.bfloat16: 0.05, torch.float64: 1e-4}  # of the largest entry
every = pytest.mark.parametrize("name", list(EVERY))


def cast(value, dtype):
    """Floating tensors in ``dtype``, complex ones in the complex type of it, or in ``complex64``."""
    if isinstance(value, tuple):
        return tuple(cast(item, dtype) for item in value)
    if value.is_complex():
        return value.to(torch.promote_types(dtype, torch.float32).to_complex())
    return value.to(dtype) if value.is_floating_point() else value


def make(name, dtype=torch.float32):
    with seeded(0):
        module = EVERY[name].build().to(dtype).eval()
    with seeded(100):
        return module, cast(EVERY[name].inputs(), dtype)


def walk_back(module, outputs):
    """Gradients of the parameters, from those outputs that have one."""
    module.zero_grad()
    parts = [part.abs().float().sum() for part in outputs if part.requires_grad]
    if parts:
        sum(parts).backward()
    return [p.grad for p in module.parameters() if p.grad is not None]


def check_close(actual, expected, tolerance):
    for a, b in zip(actual, expected, strict=True):
        if b.is_floating_point():
            assert a.isfinite().all()
            error = (a.double() - b.double()).abs().max()
            assert error <= tolerance * b.abs().max().clamp(min=1e-2)


@pytest.mark.parametrize("dtype", list(TOLERANCE), ids=str)
@every
def test_it_runs_in_every_precision(name, dtype):
    module, inputs = make(name, dtype)
    outputs = run(module, inputs)
    assert {part.dtype for part in outputs if part.is_floating_point()} <= {dtype}
    assert all(gradient.isfinite().all() for gradient in walk_back(module, outputs))
    exact = run(module.float(), cast(inputs, torch.float32))
    check_close(outputs, exact, TOLERANCE[dtype])


@every
def test_it_runs_under_autocast(name):
    module, inputs = make(name)
    exact = run(module, inputs)
    for is_learning in (True, False):
        with torch.set_grad_enabled(is_learning), torch.autocast("cpu", torch.bfloat16):
            outputs = run(module, inputs)
        assert all(gradient.isfinite().all() for gradient in walk_back(module, outputs))
        check_close(outputs, exact, TOLERANCE[torch.bfloat16])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_positions_are_told_apart_in_low_precision(dtype):
    with seeded(0):
        x, tables = torch.randn(1, 4_000, 8).to(dtype), torch.zeros(1, 4_000, 8)
    rotary = layers.Rotary(8)
    torch.testing.assert_close(
        rotary.to(dtype)(x).float(), rotary.float()(x.float()), rtol=0.02, atol=0.02
    )
    added = layers.SinusoidalPositions(4_000, 8).to(dtype)(tables.to(dtype))
    torch.testing.assert_close(
        added.float()[0], layers.sinusoidal_positions(4_000, 8), rtol=0.01, atol=0.01
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_a_long_scan_carries_more_than_half_precision(dtype):
    a, b = torch.tensor([0.99609375], dtype=dtype), torch.ones(1, 2_000, 1, dtype=dtype)
    h = layers.linear_scan(a, b)
    assert h.dtype == dtype
    exact = layers.linear_scan(a.double(), b.double())
    torch.testing.assert_close(h.double(), exact, rtol=torch.finfo(dtype).eps, atol=0)
