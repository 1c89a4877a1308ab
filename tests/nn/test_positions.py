"""Positions: the published formula, the linear shift, learned tables."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.nn import (
    LearnedPositions,
    SinusoidalPositions,
    shift_matrix,
    sinusoidal_positions,
)


def test_formula_entry_by_entry():
    table = sinusoidal_positions(50, 8)
    for t in range(50):
        for i in range(4):
            angle = t / 10000 ** (2 * i / 8)
            assert table[t, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-6)
            assert table[t, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(-40, 40), st.sampled_from([2, 6, 64]))
def test_a_shift_is_linear_and_the_same_everywhere(offset, dim):
    table = sinusoidal_positions(100, dim).double()
    shifted = table[40:60] @ shift_matrix(offset, dim).T
    torch.testing.assert_close(shifted, table[40 + offset : 60 + offset], atol=1e-6, rtol=0)


def test_shifts_are_rotations_that_add_up():
    R, S = shift_matrix(3, 8), shift_matrix(4.5, 8)
    torch.testing.assert_close(R @ R.T, torch.eye(8).double())
    torch.testing.assert_close(R @ S, shift_matrix(7.5, 8))


def test_products_of_encodings_depend_on_the_distance_only():
    table = sinusoidal_positions(60, 16).double()
    products = table @ table.T
    for distance in (0, 1, 7, 30):
        diagonal = products.diagonal(distance)
        torch.testing.assert_close(diagonal, diagonal[:1].expand_as(diagonal), atol=1e-5, rtol=0)


@pytest.mark.parametrize("kind", [SinusoidalPositions, LearnedPositions])
def test_modules_add_their_table_from_any_start(kind):
    module, x = kind(9, 4), torch.randn(2, 5, 4)
    torch.testing.assert_close(module(x), x + module.table[:5])
    torch.testing.assert_close(module(x, 4), x + module.table[4:])
    with pytest.raises(
        ValueError, match=f"{kind.__name__}: positions must lie below context=9, got 10"
    ):
        module(x, 5)


def test_only_learned_positions_learn():
    assert [
        len(list(kind(9, 4).parameters())) for kind in (SinusoidalPositions, LearnedPositions)
    ] == [0, 1]
    assert SinusoidalPositions(9, 4).state_dict() == {}


def test_refuses_odd_widths():
    with pytest.raises(ValueError, match=r"dim must be even and positive, got 5. Try 6."):
        sinusoidal_positions(3, 5)
