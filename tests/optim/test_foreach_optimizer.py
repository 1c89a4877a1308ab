"""What the base gives to every rule."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.optim import HeavyBall
from gradatim.optim.foreach_optimizer import require


def test_gradients_are_left_untouched():
    """Weight decay is added to a copy: callers may look at ``.grad`` afterwards."""
    w = torch.ones(3, requires_grad=True)
    w.grad = torch.full((3,), 2.0)
    HeavyBall([w], lr=0.1, weight_decay=0.5).step()
    assert torch.equal(w.grad, torch.full((3,), 2.0))
    torch.testing.assert_close(w.detach(), torch.full((3,), 1 - 0.1 * 2.5))


def test_closure_is_called_with_gradients_on_and_its_loss_returned():
    w = torch.ones(1, requires_grad=True)
    optimizer = HeavyBall([w], lr=0.1)

    def closure():
        assert torch.is_grad_enabled()
        optimizer.zero_grad()
        loss = (3 * w).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        assert optimizer.step(closure).item() == 3.0
    assert optimizer.step() is None


def test_no_gradient_no_move_and_no_state():
    w = torch.ones(1, requires_grad=True)
    optimizer = HeavyBall([w], lr=0.1)
    optimizer.step()
    assert w.item() == 1
    assert not optimizer.state_dict()["state"]


def test_works_with_pytorchs_schedulers():
    w = torch.ones(1, requires_grad=True)
    optimizer = HeavyBall([w], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    w.grad = torch.zeros(1)
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] == 0.5


def test_require():
    require("Rule", "rho", 0.5, True, "in [0, 1)", 0.9)
    with pytest.raises(
        InvalidValue, match=r"^Rule: rho must be in \[0, 1\), got 2\. Try rho=0\.9\.$"
    ):
        require("Rule", "rho", 2, False, "in [0, 1)", 0.9)
