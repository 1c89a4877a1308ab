"""Noise: its moments, its ridge, and entries that hide."""

import pytest
import torch

from gradatim.data import add_noise, mask_entries
from gradatim.errors import GradatimError


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_moments():
    noise = add_noise(torch.full((300, 300), 5.0), std=0.2, generator=seeded()) - 5
    assert noise.mean().item() == pytest.approx(0, abs=0.005)
    assert noise.std().item() == pytest.approx(0.2, rel=0.02)


def test_noise_on_inputs_is_ridge():
    """E (w·(x + ε) − t)² = (w·x − t)² + σ² ‖w‖²."""
    w = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    x = torch.tensor([0.3, 1.0, 2.0], dtype=torch.float64).expand(200_000, 3)
    error = (add_noise(x, std=0.5, generator=seeded()) @ w - 1.0).square().mean()
    expected = (x[0] @ w - 1.0).square() + 0.25 * w.square().sum()
    assert error.item() == pytest.approx(expected.item(), rel=0.02)


def test_masked_entries_are_zero_and_the_others_untouched():
    x = torch.rand(200, 50, generator=seeded()) + 1
    masked, hidden = mask_entries(x, drop=0.3, generator=seeded(1))
    assert torch.equal(masked == 0, hidden)
    assert torch.equal(masked[~hidden], x[~hidden])
    assert hidden.float().mean().item() == pytest.approx(0.3, abs=0.02)
    assert torch.equal(mask_entries(x, drop=0.3, generator=seeded(1))[1], hidden)


def test_errors():
    with pytest.raises(GradatimError, match="std must be at least 0, got -1"):
        add_noise(torch.zeros(1), std=-1)
    with pytest.raises(GradatimError, match=r"drop must be in \[0, 1\], got 2"):
        mask_entries(torch.zeros(1), drop=2)
