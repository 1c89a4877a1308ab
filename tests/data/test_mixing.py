"""MixUp: inputs and targets are mixed by the same shares, drawn from a Beta law."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.data import mixup
from gradatim.data.mixing import beta_shares
from gradatim.errors import GradatimError


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@given(alpha=st.floats(0.1, 5), seed=st.integers(0, 50))
@settings(max_examples=20, deadline=None)
def test_targets_carry_the_shares_of_the_inputs(alpha, seed):
    """With one-hot inputs the mixed input shows who was mixed with whom, and how much."""
    y = torch.tensor([0, 2, 1, 2, 0])
    x, odds = mixup(
        torch.eye(5, dtype=torch.float64), y, alpha=alpha, num_classes=3, generator=seeded(seed)
    )
    one_hot = torch.nn.functional.one_hot(y, 3).double()
    torch.testing.assert_close(odds, x @ one_hot)
    torch.testing.assert_close(x.sum(1), torch.ones(5, dtype=torch.float64))
    assert (x >= 0).all()


@pytest.mark.parametrize("alpha", [0.2, 1.0, 4.0])
def test_shares_have_the_moments_of_beta(alpha):
    share = beta_shares(50_000, alpha, generator=seeded())
    assert share.mean().item() == pytest.approx(0.5, abs=0.01)
    assert share.var().item() == pytest.approx(1 / (4 * (2 * alpha + 1)), rel=0.03)


def test_images_and_regression_targets():
    images, y = torch.rand(6, 3, 4, 4, generator=seeded()), torch.rand(6, generator=seeded())
    mixed, target = mixup(images, y, generator=seeded(1))
    again, _ = mixup(images, y, generator=seeded(1))
    assert mixed.shape == images.shape
    assert target.shape == (6,)
    assert torch.equal(mixed, again)
    assert images.min() <= mixed.min() <= mixed.max() <= images.max()


def test_errors():
    with pytest.raises(
        GradatimError, match=r"class indices without num_classes. Try num_classes=3"
    ):
        mixup(torch.rand(2, 2), torch.tensor([0, 2]))
    with pytest.raises(GradatimError, match="alpha must be more than 0, got 0"):
        mixup(torch.rand(2, 2), torch.rand(2), alpha=0)
