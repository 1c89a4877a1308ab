import math

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.generative import (
    critic_loss,
    discriminator_loss,
    gradient_penalty,
    minimax_loss,
    non_saturating_loss,
)
from gradatim.generative.game_losses import game_losses


def test_they_are_the_equations():
    real, fake = torch.randn(2, 50, generator=torch.Generator().manual_seed(0)).double()
    says, said = torch.sigmoid(real), torch.sigmoid(fake)
    expected = -says.log().mean() - (1 - said).log().mean()
    torch.testing.assert_close(discriminator_loss(real, fake), expected)
    torch.testing.assert_close(minimax_loss(fake), (1 - said).log().mean())
    torch.testing.assert_close(non_saturating_loss(fake), -said.log().mean())
    torch.testing.assert_close(critic_loss(real, fake), fake.mean() - real.mean())


@pytest.mark.parametrize("logit", [-12.0, -3.0, 0.0, 4.0])
def test_slopes_where_samples_are_recognized(logit):
    """With D = σ(f): of log(1 - D) it is -D, of -log D it is -(1 - D)."""
    d = 1 / (1 + math.exp(-logit))
    for loss, slope in ((minimax_loss, -d), (non_saturating_loss, -(1 - d))):
        f = torch.tensor(logit, dtype=torch.float64, requires_grad=True)
        loss(f).backward()
        assert float(f.grad) == pytest.approx(slope)


@pytest.mark.parametrize(
    "loss", [minimax_loss, non_saturating_loss, lambda f: discriminator_loss(f, -f)]
)
def test_gradients(loss):
    f = torch.randn(5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(loss, f)


def test_the_penalty_is_zero_for_slope_one_and_reaches_the_critic():
    x, y = torch.randn(6, 3).double(), torch.randn(6, 3).double()
    w = torch.tensor([0.6, 0.0, 0.8]).double()
    assert float(gradient_penalty(lambda x: x @ w, x, y, torch.rand(6))) == pytest.approx(
        0, abs=1e-12
    )
    v = (2 * w).requires_grad_()
    gradient_penalty(lambda x: (x * v).sum(1), x, y, torch.rand(6)).backward()
    torch.testing.assert_close(v.grad, 2 * (2 - 1) * w)


def test_the_penalty_looks_between_data_and_samples():
    x, y, u = torch.zeros(1, 1), torch.ones(1, 1), torch.tensor([0.25])
    found = gradient_penalty(lambda x: x.square().sum(1), x, y, u)  # slope 2 at 0.75
    assert found.item() == pytest.approx((2 * 0.75 - 1) ** 2)


def test_unknown_games_are_refused():
    with pytest.raises(
        GradatimError, match=r"objective must be one of wasserstein-gp, .*Try 'wasserstein-gp'"
    ):
        game_losses("wgan-gp")
