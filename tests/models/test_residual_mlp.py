import pytest
import torch
from torch import nn

from gradatim.models import ResidualMLP, build, describe, rebuild
from gradatim.nn.residual import ResidualLayer


def test_is_the_chain_of_its_stages():
    model = ResidualMLP((12, 5, 5, 3), activation="tanh")
    x = h = torch.randn(4, 3, 2, 2)
    for _, stage in model.stages():
        h = stage(h)
    torch.testing.assert_close(model(x), h)
    assert [name for name, _ in model.stages()] == ["flatten", "0", "1", "2"]


def test_with_zero_branches_is_linear_however_deep():
    model = ResidualMLP((4, *[4] * 30, 2), activation="sigmoid")
    for module in model.modules():
        if isinstance(module, ResidualLayer):
            nn.init.zeros_(module.linear.weight)
    x = torch.randn(6, 4)
    torch.testing.assert_close(model(x), model[-1](x))


def test_gradient_reaches_every_parameter():
    model = ResidualMLP((4, 8, 8, 3), activation="tanh")
    model(torch.randn(5, 4)).square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in model.parameters())


def test_describe_rebuilds_it():
    model = build("residual_mlp", (4, 8, 2), activation="elu")
    again = rebuild(describe(model))
    assert describe(again) == describe(model)
    assert str(again) == str(model)
    again.load_state_dict(model.state_dict())
    x = torch.randn(3, 4)
    assert torch.equal(again(x), model(x))


def test_refuses_bad_sizes():
    with pytest.raises(ValueError, match="ResidualMLP: sizes must be two or more positive widths"):
        ResidualMLP((3,))
