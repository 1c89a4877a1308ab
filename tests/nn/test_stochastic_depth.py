"""Stochastic depth: expectation, rows and batches, the bare test pass."""

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.nn.stochastic_depth import StochasticDepth, drop_branch, linear_drop_rates
from gradatim.randomness import seeded


def source(seed=0):
    return torch.Generator().manual_seed(seed)


def test_rows_go_alone_and_the_expectation_stays():
    x = torch.rand(20_000, 3, 1, generator=source()) + 0.5
    out = drop_branch(x, drop=0.25, generator=source(1))
    ratio = out / x
    assert torch.equal(out[:, 0] == 0, out[:, 2] == 0)
    dropped = (ratio[:, 0] == 0).float().mean().item()
    assert dropped == pytest.approx(0.25, abs=0.015)
    torch.testing.assert_close(ratio.max().item(), 1 / 0.75)
    assert ratio.mean().item() == pytest.approx(1.0, abs=0.02)


def test_a_batch_goes_as_a_whole():
    draws = torch.stack(
        [
            drop_branch(torch.ones(8, 2), drop=0.5, mode="batch", generator=source(s))
            for s in range(200)
        ]
    )
    assert set(draws.flatten().tolist()) == {0.0, 2.0}
    assert (draws.flatten(1).std(1) == 0).all()
    assert draws.mean().item() == pytest.approx(1.0, abs=0.2)


def test_the_module_trains_bare_and_tests_whole():
    block = StochasticDepth(nn.Linear(2, 2), drop=0.9, mode="batch")
    x = torch.randn(4, 2, generator=source())
    with seeded(0):
        outs = [block(x) for _ in range(30)]
    assert any(torch.equal(out, x) for out in outs)
    block.eval()
    torch.testing.assert_close(block(x), x + block.branch(x))
    assert "drop=0.9, mode='batch'" in repr(block)


def test_no_drop_is_the_residual_connection():
    block, x = StochasticDepth(nn.Linear(2, 2), drop=0.0), torch.randn(4, 2)
    assert torch.equal(block(x), x + block.branch(x))


def test_rates_grow_with_depth():
    assert linear_drop_rates(5, 0.2) == pytest.approx([0.04, 0.08, 0.12, 0.16, 0.2])


def test_errors():
    with pytest.raises(GradatimError, match=r"drop must be in \[0, 1\), got 1.0"):
        StochasticDepth(nn.Identity(), drop=1.0)
    with pytest.raises(GradatimError, match="mode must be one of row, batch, got 'rows'"):
        StochasticDepth(nn.Identity(), drop=0.1, mode="rows")
