"""Dual norms and steepest directions against Hölder's inequality."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.robust.norms import NORMS, dual_norm, read_norm, steepest

vectors = st.lists(st.floats(-1e3, 1e3, allow_subnormal=False), min_size=1, max_size=6).map(
    lambda values: torch.tensor(values, dtype=torch.float64)
)


@pytest.mark.parametrize("p", NORMS)
@given(a=vectors)
def test_the_steepest_direction_has_size_one_and_gains_the_dual_norm(p, a):
    v = steepest(a, p)
    if a.any():
        assert torch.linalg.vector_norm(v, ord=p).item() == pytest.approx(1)
    assert (a @ v).item() == pytest.approx(dual_norm(a, p).item(), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("p", NORMS)
@given(a=vectors, seed=st.integers(0, 99))
def test_no_direction_gains_more(p, a, seed):
    generator = torch.Generator().manual_seed(seed)
    v = torch.randn(50, len(a), dtype=torch.float64, generator=generator)
    v /= torch.linalg.vector_norm(v, ord=p, dim=1, keepdim=True)
    assert (v @ a).max() <= dual_norm(a, p) * (1 + 1e-12)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_tiny_and_huge_gradients_keep_their_direction(scale):
    a = torch.tensor([3.0, -4.0]) * scale
    torch.testing.assert_close(steepest(a, 2.0), torch.tensor([0.6, -0.8]))


@pytest.mark.parametrize("p", NORMS)
def test_zero_and_not_a_number_move_nothing(p):
    assert not steepest(torch.zeros(2, 3), p).any()
    moved = steepest(torch.tensor([math.nan, 2.0]), p)
    torch.testing.assert_close(moved, torch.tensor([0.0, 1.0]))


def test_norms_are_read():
    assert [read_norm("f", norm) for norm in (1, 2.0, "inf", math.inf)] == [
        1,
        2,
        math.inf,
        math.inf,
    ]
    with pytest.raises(InvalidValue, match=r"^f: norm must be 1 or 2 or 'inf', got 'two'\. Try"):
        read_norm("f", "two")
    with pytest.raises(InvalidValue, match=r"^f: norm must be 2 or 'inf', got 1\."):
        read_norm("f", 1, (2.0, math.inf))
