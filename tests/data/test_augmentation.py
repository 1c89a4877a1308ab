"""Random distortions: exact where they are exact, bounded elsewhere."""

import pytest
import torch

from gradatim.data.augmentation import random_affine
from gradatim.errors import GradatimError


def dot(size=15, at=7):
    image = torch.zeros(1, 1, size, size)
    image[0, 0, at, at] = 1.0
    return image


def centre(images):
    """Centre of mass of every image, as (row, column)."""
    size = images.shape[-1]
    places = torch.arange(float(size))
    mass = images.sum((1, 2, 3))
    return (
        torch.stack(
            [(images.sum(3)[:, 0] * places).sum(1), (images.sum(2)[:, 0] * places).sum(1)], 1
        )
        / mass[:, None]
    )


def test_no_amount_is_the_identity():
    x = torch.rand(3, 2, 9, 7)
    torch.testing.assert_close(random_affine(x, degrees=0, shift=0, scale=0), x)


def test_shifts_stay_within_their_limit_and_reach_it():
    x = dot().expand(500, -1, -1, -1)
    moved = (
        centre(
            random_affine(
                x, degrees=0, shift=2.0, scale=0, generator=torch.Generator().manual_seed(0)
            )
        )
        - 7
    )
    assert moved.abs().max() <= 2.0 + 1e-4
    assert moved.abs().max() > 1.8
    assert moved.mean().abs() < 0.1


def test_rotation_keeps_the_distance_from_the_middle():
    x = dot(at=11).expand(200, -1, -1, -1)
    turned = (
        centre(
            random_affine(
                x, degrees=30, shift=0, scale=0, generator=torch.Generator().manual_seed(0)
            )
        )
        - 7
    )
    radius = turned.norm(dim=1)
    torch.testing.assert_close(radius, torch.full_like(radius, 4 * 2**0.5), atol=0.15, rtol=0)
    angle = torch.rad2deg(torch.atan2(turned[:, 0], turned[:, 1])) - 45
    assert 25 < angle.abs().max() < 31


def test_every_image_has_its_own_distortion_fixed_by_the_generator():
    x = dot().expand(2, -1, -1, -1)
    a, b = (random_affine(x, generator=torch.Generator().manual_seed(1)) for _ in range(2))
    assert torch.equal(a, b)
    assert not torch.equal(a[0], a[1])


def test_shape_is_checked():
    with pytest.raises(
        GradatimError, match=r"images must have shape \(B, C, H, W\), got \(28, 28\)"
    ):
        random_affine(torch.zeros(28, 28))
