"""Waves of numbers, against a loop."""

import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.nn import PeriodicEmbedding


def test_is_what_the_equation_says():
    torch.manual_seed(0)
    own = PeriodicEmbedding(2, 3, num_frequencies=4, scale=0.5).double()
    x = torch.randn(5, 2, dtype=torch.float64)
    found = own(x).view(5, 2, 3)
    for n in range(5):
        for j in range(2):
            angle = [2 * math.pi * float(c) * float(x[n, j]) for c in own.frequencies[j].tolist()]
            waves = torch.tensor([*map(math.sin, angle), *map(math.cos, angle)], dtype=torch.float64)  # fmt: skip
            expected = (waves @ own.weight[j] + own.bias[j]).clamp(min=0.0)
            torch.testing.assert_close(found[n, j], expected)


def test_numbers_stay_apart_and_frequencies_spread_as_asked():
    torch.manual_seed(0)
    own = PeriodicEmbedding(3, 4, num_frequencies=2000, scale=0.3)
    assert own.frequencies.std().item() == pytest.approx(0.3, rel=0.05)
    x = torch.zeros(1, 3)
    moved = own(x + torch.tensor([[0.0, 1.0, 0.0]])).view(3, 4) != own(x).view(3, 4)
    assert moved.any(1).tolist() == [False, True, False]


def test_refusals():
    with pytest.raises(InvalidValue, match="scale must be positive, got 0"):
        PeriodicEmbedding(3, scale=0.0)
    with pytest.raises(InvalidValue, match=r"x must have shape \(N, 3\), got \(2, 4\)"):
        PeriodicEmbedding(3)(torch.zeros(2, 4))
