"""RandAugment: every operation at no strength is the identity, at full strength what it says."""

import pytest
import torch

from gradatim.data import rand_augment
from gradatim.data.randaugment import OPERATIONS
from gradatim.errors import GradatimError


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


X = torch.rand(40, 3, 10, 10, generator=seeded())


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_no_strength_is_the_identity_and_values_stay_in_range(name):
    none = OPERATIONS[name](X, torch.zeros(40))
    torch.testing.assert_close(none, X, atol=1 / 255, rtol=0)  # posterize leaves eight bits
    out = OPERATIONS[name](X, torch.linspace(-1, 1, 40))
    assert out.min() >= -1e-6
    assert out.max() <= 1 + 1e-6


def test_full_strengths():
    one = torch.ones(40)
    torch.testing.assert_close(OPERATIONS["solarize"](X, one), 1 - X)
    torch.testing.assert_close(OPERATIONS["brightness"](X, -one), 0.1 * X)
    assert len(OPERATIONS["posterize"](X, one).unique()) <= 16
    torch.testing.assert_close(OPERATIONS["shift_x"](X, one)[..., :7], X[..., 3:])
    torch.testing.assert_close(OPERATIONS["shift_y"](X, -one)[:, :, 3:], X[:, :, :7])
    flat = OPERATIONS["contrast"](X, -one)
    torch.testing.assert_close(flat.var((1, 2, 3)), 0.01 * X.var((1, 2, 3)))


def test_each_image_draws_alone_and_sees_only_its_operation():
    """With one operation to draw, a batch equals its images one by one with their signs."""
    out = rand_augment(X, rounds=1, strength=0.5, operations=("brightness",), generator=seeded(1))
    up, down = (X * 1.45).clamp(0, 1), X * 0.55
    is_up = (out - up).abs().flatten(1).max(1).values < 1e-6
    is_down = (out - down).abs().flatten(1).max(1).values < 1e-6
    assert (is_up ^ is_down).all()
    assert 5 < is_up.sum() < 35


def test_rounds_compose_and_generators_fix_the_result():
    a, b = (rand_augment(X, rounds=2, strength=0.8, generator=seeded(2)) for _ in range(2))
    assert torch.equal(a, b)
    assert torch.equal(rand_augment(X, rounds=0), X)
    assert not torch.equal(a, rand_augment(X, rounds=2, strength=0.8, generator=seeded(3)))


@pytest.mark.parametrize("name", list(OPERATIONS))
def test_standardized_images_are_changed_as_the_images_they_were(name):
    mean, deviation = 0.4, 0.25
    plain = rand_augment(X, strength=0.9, operations=(name,), generator=seeded(4))
    other = rand_augment(
        (X - mean) / deviation,
        strength=0.9,
        operations=(name,),
        value_range=(-mean / deviation, (1 - mean) / deviation),
        generator=seeded(4),
    )
    apart = (other * deviation + mean - plain).abs()
    # a value on the edge of a level or of solarizing may fall to either side by rounding
    assert (apart > 1e-5).float().mean() < 1e-3


def test_errors():
    with pytest.raises(
        GradatimError,
        match=r"images must lie in value_range=\(0, 1\), got values from -0.99.* to 0.99",
    ):
        rand_augment(2 * X - 1)
    with pytest.raises(GradatimError, match=r"value_range must be \(lower, higher\), got \(1, 1\)"):
        rand_augment(X, value_range=(1, 1))
    with pytest.raises(GradatimError, match=r"operations must be one of rotate, .*got 'rotat'"):
        rand_augment(X, operations=("rotat",))
    with pytest.raises(GradatimError, match=r"strength must be in \[0, 1\], got 9"):
        rand_augment(X, strength=9)
    with pytest.raises(GradatimError, match="images must have shape"):
        rand_augment(torch.zeros(3, 3))
