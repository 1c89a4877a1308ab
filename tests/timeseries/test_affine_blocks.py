"""Blocks side by side give what one step after the other gives."""

import pytest
import torch

from gradatim.timeseries.affine_blocks import (
    WIDE,
    block_length,
    into_blocks,
    out_of_blocks,
    run_affine,
)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("both_sides", [False, True])
@pytest.mark.parametrize("steps", [0, 1, 31, 32, 150])
def test_against_a_loop(steps, both_sides):
    M = torch.randn(steps, 2, 3, 3, generator=seeded()).double() / 2
    u = torch.randn(steps, 2, 3, 3, generator=seeded(1)).double()
    x = start = torch.randn(2, 3, 3, generator=seeded(2)).double()
    found = run_affine(M, u, start, both_sides=both_sides)
    assert found.shape == u.shape
    for t in range(steps):
        x = M[t] @ x @ M[t].mT + u[t] if both_sides else M[t] @ x + u[t]
        torch.testing.assert_close(found[t], x, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("length", [1, 3, 7, 10])
def test_blocks_go_in_and_out(length):
    x = torch.randn(10, 2, 4, generator=seeded())
    blocks = into_blocks(x, length)
    assert blocks.shape == (length, -(-10 // length) * 2, 4)
    assert torch.equal(out_of_blocks(blocks, 10, 2), x)


def test_wide_steps_are_not_cut():
    assert block_length(10_000, WIDE) == 100
    assert block_length(10_000, WIDE + 1) == 10_000
    assert block_length(31, 1) == 31


def test_gradient():
    M = (torch.randn(40, 1, 2, 2, generator=seeded()).double() / 2).requires_grad_()
    u = torch.randn(40, 1, 2, 1, generator=seeded(1)).double().requires_grad_()
    start = torch.randn(1, 2, 1, generator=seeded(2)).double().requires_grad_()
    torch.autograd.gradcheck(lambda *args: run_affine(*args)[::8], (M, u, start))
