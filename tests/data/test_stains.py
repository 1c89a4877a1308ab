import math
import re

import numpy as np
import pytest
import torch

from gradatim.data import combine_stains, separate_stains, stain_jitter

EOSIN = np.array([0.07, 0.99, 0.11])


def test_a_pure_stain_is_found_alone():
    """Twice the eosin lets through the square of the light."""
    colour = EOSIN / np.linalg.norm(EOSIN)
    for amount in (0.3, 0.6):
        light = [(256 * math.exp(-amount * c) - 1) / 255 for c in colour]
        pixel = torch.tensor(light, dtype=torch.float64).view(1, 3, 1, 1)
        found = separate_stains(pixel).flatten().tolist()
        assert found == pytest.approx([0.0, amount, 0.0], abs=1e-12)


def test_round_trip_of_every_colour():
    levels = torch.linspace(0, 1, 9, dtype=torch.float64)
    grid = torch.cartesian_prod(levels, levels, levels).T.reshape(1, 3, 27, 27)
    torch.testing.assert_close(combine_stains(separate_stains(grid)), grid, atol=1e-12, rtol=0)


def test_no_strength_changes_nothing_and_more_changes_more():
    x = torch.rand(64, 3, 5, 5)
    assert torch.equal(stain_jitter(x, strength=0.0), x)
    gaps = [(stain_jitter(x, strength=s, generator=torch.Generator().manual_seed(0)) - x).abs().mean() for s in (0.02, 0.1, 0.3)]  # fmt: skip
    assert 0 < gaps[0] < gaps[1] < gaps[2]
    assert stain_jitter(x, strength=1.0).min() >= 0
    assert stain_jitter(x, strength=1.0).max() <= 1


def test_the_equation_of_the_amounts():
    x = torch.rand(2, 3, 3, 3, dtype=torch.float64) * 0.5 + 0.25
    found = stain_jitter(x, strength=0.1, generator=torch.Generator().manual_seed(1))
    draws = torch.rand(2, 2, 3, 1, 1, generator=torch.Generator().manual_seed(1), dtype=x.dtype)
    before, after = separate_stains(x), separate_stains(found)
    for n in range(2):
        for s in range(3):
            alpha, beta = 1 + 0.1 * (2 * draws[0, n, s] - 1), 0.1 * (2 * draws[1, n, s] - 1)
            torch.testing.assert_close(after[n, s], alpha[0] * before[n, s] + beta[0])


def test_refuses_by_message():
    with pytest.raises(ValueError, match=re.escape("stain_jitter: strength must be from 0 to 1, got 2. Try 0.1.")):  # fmt: skip
        stain_jitter(torch.rand(1, 3, 2, 2), strength=2)
    for function in (separate_stains, combine_stains, stain_jitter):
        with pytest.raises(ValueError, match=f"{function.__name__}: images must have three channels, got 1"):  # fmt: skip
            function(torch.rand(1, 1, 2, 2))
