"""Several heads on one trunk."""

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.nn import MultiTask


def test_every_head_sees_the_trunk_and_every_loss_reaches_it():
    model = MultiTask(nn.Linear(3, 4), {"a": nn.Linear(4, 2), "b": nn.Linear(4, 1)})
    x = torch.randn(5, 3)
    out = model(x)
    torch.testing.assert_close(out["a"], model.heads["a"](model.trunk(x)))
    out["b"].sum().backward()
    assert model.trunk.weight.grad is not None
    assert model.heads["a"].weight.grad is None


def test_errors():
    with pytest.raises(GradatimError, match="heads must name at least one task, got none"):
        MultiTask(nn.Linear(2, 2), {})
