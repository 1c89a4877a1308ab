"""How models become chains of stages."""

import pytest
from torch import nn

from gradatim.backprop import list_stages
from gradatim.errors import InvalidValue
from gradatim.models import MLP


def names(model):
    return [name for name, _ in list_stages(model)]


def test_nested_sequentials_are_unrolled_with_the_names_of_their_parameters():
    model = nn.Sequential(nn.Sequential(nn.Linear(1, 2), nn.Sequential(nn.Tanh())), nn.Linear(2, 1))
    assert names(model) == ["0.0", "0.1.0", "1"]


def test_shared_module_appears_each_time():
    layer = nn.Linear(2, 2)
    assert [stage for _, stage in list_stages(nn.Sequential(layer, nn.ReLU(), layer))][::2] == [
        layer,
        layer,
    ]


def test_other_modules_are_one_stage_named_by_their_class():
    assert names(nn.LSTM(2, 2)) == ["LSTM"]


def test_sequential_with_a_forward_of_its_own_is_one_stage():
    class Doubled(nn.Sequential):
        def forward(self, x):
            return super().forward(2 * x)

    assert names(nn.Sequential(Doubled(nn.ReLU(), nn.ReLU()), nn.Tanh())) == ["0", "1"]


def test_model_lists_its_own_stages_and_keeps_them_whole():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Sequential(nn.ReLU(), nn.ReLU()), nn.Tanh()

        def stages(self):
            return [("a", self.a), ("b", self.b)]

    assert names(Two()) == ["a", "b"]
    assert names(nn.Sequential(nn.ReLU(), Two())) == ["0", "1.a", "1.b"]


def test_attribute_named_stages_is_not_the_method():
    class Backbone(nn.Module):
        def __init__(self):
            super().__init__()
            self.stages = nn.Sequential(nn.ReLU())

    assert names(Backbone()) == ["Backbone"]


def test_mlp_flattens_first():
    assert names(MLP((4, 3, 2))) == ["flatten", "0", "1", "2"]


def test_stages_must_be_pairs():
    class Bad(nn.Module):
        def stages(self):
            return [nn.ReLU()]

    with pytest.raises(
        InvalidValue, match=r"Bad\.stages\(\) must list pairs \(name, callable\), got ReLU\(\)"
    ):
        list_stages(Bad())
