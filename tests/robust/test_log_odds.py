"""The log-odds against a class order points as cross-entropy does, and do not go blind."""

import pytest
import torch
import torch.nn.functional as F

from gradatim.errors import InvalidValue
from gradatim.robust.log_odds import log_odds_against


def test_cross_entropy_is_their_softplus_and_the_gradients_are_parallel():
    generator = torch.Generator().manual_seed(0)
    z = torch.randn(20, 5, dtype=torch.float64, generator=generator, requires_grad=True)
    y = torch.randint(0, 5, (20,), generator=generator)
    odds, slope = log_odds_against("f", z.detach(), y)
    loss = F.cross_entropy(z, y, reduction="none")
    torch.testing.assert_close(F.softplus(odds), loss.detach())
    (gradient,) = torch.autograd.grad(loss.sum(), z)
    error = 1 - z.detach().softmax(1).gather(1, y.unsqueeze(1))
    torch.testing.assert_close(error * slope, gradient)


def test_a_sure_model_still_shows_where_to_go():
    z = torch.tensor([[200.0, 1.0, 0.0]], requires_grad=True)
    y = torch.tensor([0])
    (gradient,) = torch.autograd.grad(F.cross_entropy(z, y), z)
    assert not gradient.any()  # cross-entropy is blind here
    odds, slope = log_odds_against("f", z.detach(), y)
    torch.testing.assert_close(odds, torch.tensor([-200 + 1 + 0.31326]))
    torch.testing.assert_close(slope, torch.tensor([[-1.0, 0.73106, 0.26894]]))


def test_refuses_a_class_that_is_not_there():
    with pytest.raises(
        InvalidValue, match=r"^pgd: y must be below the number of classes, 3, got 3"
    ):
        log_odds_against("pgd", torch.zeros(2, 3), torch.tensor([0, 3]))
