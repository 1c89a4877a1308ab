"""Elastic distortions against the definition of the field."""

import re

import pytest
import torch

from gradatim.data import random_elastic
from gradatim.data.elastic import _gaussian


def test_no_strength_changes_nothing():
    x = torch.rand(3, 2, 7, 9, dtype=torch.float64)
    torch.testing.assert_close(random_elastic(x, strength=0.0), x)


def shifts(strength, smoothness, rows=200, side=24):
    """Measure the field on ramps: where brightness is a coordinate, a shift is a difference."""
    ramp = torch.arange(side, dtype=torch.float64).expand(rows, 1, side, side)
    generator = torch.Generator().manual_seed(0)
    moved = random_elastic(ramp, strength=strength, smoothness=smoothness, generator=generator)
    return (moved - ramp)[:, 0, 8:-8, 8:-8]  # far from the border, where outside is zero


def test_strength_is_the_standard_deviation_in_pixels():
    assert shifts(0.8, 2.0).std().item() == pytest.approx(0.8, rel=0.05)


def test_smoothness_is_the_range_of_the_correlation():
    """Gaussian filters of width σ give the correlation exp(-d²/4σ²) at distance d."""
    field = shifts(0.8, 3.0, rows=400)
    for distance in (1, 3):
        pairs = torch.stack([field[..., :-distance].flatten(), field[..., distance:].flatten()])
        expected = torch.exp(torch.tensor(-(distance**2) / 36.0)).item()
        assert torch.corrcoef(pairs)[0, 1].item() == pytest.approx(expected, abs=0.04)


def test_kernel_keeps_the_variance_of_white_noise():
    assert _gaussian(2.5).square().sum().item() == pytest.approx(1.0, abs=1e-6)


def test_equal_generators_give_equal_images_and_images_differ():
    x = torch.rand(1, 1, 16, 16).expand(2, 1, 16, 16)
    one, two = (random_elastic(x, generator=torch.Generator().manual_seed(5)) for _ in range(2))
    assert torch.equal(one, two)
    assert not torch.allclose(one[0], one[1])


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            lambda: random_elastic(torch.zeros(1, 1, 4, 4), smoothness=0.0),
            "random_elastic: smoothness must be more than 0 pixels, got 0.0. Try 4.",
        ),
        (lambda: random_elastic(torch.zeros(4, 4)), "random_elastic: images must have shape"),
    ],
)
def test_refuses_by_message(action, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        action()
