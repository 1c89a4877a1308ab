"""Modes come back, whatever happens inside."""

import pytest
from torch import nn

from gradatim.nn import evaluation_mode


def test_modes_come_back_even_after_an_error():
    model = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout().eval(), nn.Linear(1, 1)))
    before = [module.training for module in model.modules()]
    with evaluation_mode(model):
        assert not any(module.training for module in model.modules())
    assert [module.training for module in model.modules()] == before
    with pytest.raises(RuntimeError), evaluation_mode(model):
        raise RuntimeError
    assert [module.training for module in model.modules()] == before
