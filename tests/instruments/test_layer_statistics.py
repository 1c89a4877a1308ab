"""Variance profile: hand-computed moments, the law of He and Xavier, and a model left as it was."""

from math import isnan

import numpy as np
import pytest
import torch
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.instruments import variance_profile
from gradatim.models import MLP
from gradatim.randomness import seeded


def test_moments_and_gradients_by_hand():
    model = nn.Sequential(nn.Linear(1, 2, bias=False), nn.ReLU(), nn.Linear(2, 1, bias=False))
    with torch.no_grad():
        model[0].weight.copy_(torch.tensor([[1.0], [-1.0]]))
        model[2].weight.copy_(torch.tensor([[3.0, 5.0]]))
    rows = variance_profile(model, torch.tensor([[1.0], [2.0]]), lambda y: y.sum())
    # z = [1, −1], [2, −2]; h = [1, 0], [2, 0]; dE/dh = [3, 5] twice; dE/dz = [3, 0] twice.
    assert [row.name for row in rows] == ["0", "1", "2"]
    assert [row.kind for row in rows] == ["Linear", "ReLU", "Linear"]
    means = [np.mean([1, -1, 2, -2]), np.mean([1, 0, 2, 0]), np.mean([3, 6])]
    variances = [np.var([1, -1, 2, -2]), np.var([1, 0, 2, 0]), np.var([3, 6])]
    assert [row.activation_mean for row in rows] == pytest.approx(means)
    assert [row.activation_variance for row in rows] == pytest.approx(variances)
    assert [row.gradient_mean for row in rows] == pytest.approx([1.5, 4.0, 1.0])
    assert [row.gradient_variance for row in rows] == pytest.approx([2.25, 1.0, 0.0])


def deep(activation, init, width=128, depth=12):
    with seeded(0):
        return MLP((width,) * (depth + 1), activation=activation, init=init)


def linear_rows(model):
    x = torch.randn(256, 128, generator=torch.Generator().manual_seed(1))
    return [row for row in variance_profile(model, x) if row.kind == "Linear"]


def test_he_keeps_variance_in_both_directions_through_relu():
    rows = linear_rows(deep("relu", "he"))
    assert rows[-1].activation_variance / rows[0].activation_variance == pytest.approx(1, abs=0.7)
    assert rows[0].gradient_variance / rows[-1].gradient_variance == pytest.approx(1, abs=0.7)


def test_xavier_halves_the_variance_with_every_relu():
    rows = linear_rows(deep("relu", "xavier"))
    ratios = rows[-1].activation_variance / rows[0].activation_variance
    assert np.log2(ratios) == pytest.approx(-11, abs=1.5)


def test_orthogonal_linear_network_keeps_variance_exactly():
    rows = linear_rows(deep("identity", "orthogonal"))
    moments = [row.activation_variance + row.activation_mean**2 for row in rows]
    assert moments == pytest.approx([moments[0]] * len(rows), rel=1e-4)


def test_default_co_states_are_standard_normal():
    rows = linear_rows(deep("relu", "he"))
    assert rows[-1].gradient_variance == pytest.approx(1.0, abs=0.03)


def test_in_place_activations_do_not_spoil_the_gradients_before_them():
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    in_place = nn.Sequential(plain[0], nn.ReLU(inplace=True), plain[2])
    x = torch.randn(6, 3)
    assert variance_profile(plain, x) == variance_profile(in_place, x)


class Odd(nn.Module):
    """A layer used twice, a frozen one, a cell with a tuple, integer inputs."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(5, 4).requires_grad_(False)
        self.cell = nn.GRU(4, 4, batch_first=True)
        self.act = nn.Tanh()
        self.head = nn.Linear(4, 2)

    def forward(self, tokens, scale):
        h, _ = self.cell(self.embedding(tokens) * scale)
        return self.act(self.head(self.act(h))), h


def test_any_module():
    model, tokens, scale = Odd(), torch.tensor([[0, 1, 2]]), torch.tensor(2.0)
    rows = variance_profile(model, (tokens, scale), lambda output: output[0].sum())
    assert [row.name for row in rows] == ["embedding", "cell", "act", "head", "act (2)"]
    assert isnan(rows[0].gradient_variance)
    assert not isnan(rows[1].gradient_variance)
    with pytest.raises(InvalidType, match=r"variance_profile: loss must be a function .*a tuple"):
        variance_profile(model, (tokens, scale))


def test_a_bare_layer_is_named_by_its_kind():
    assert variance_profile(nn.Linear(2, 2), torch.ones(1, 2))[0].name == "Linear"


def test_the_model_is_left_as_it_was():
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Dropout(0.5), nn.Linear(3, 1))
    before = {key: value.clone() for key, value in model.state_dict().items()}
    state = torch.random.get_rng_state()
    first = variance_profile(model, torch.arange(12.0).reshape(4, 3))
    assert first == variance_profile(model, torch.arange(12.0).reshape(4, 3))
    assert torch.equal(state, torch.random.get_rng_state())
    assert all(torch.equal(value, before[key]) for key, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())
    assert model.training
    assert not any(module._forward_hooks for module in model.modules())


def test_hooks_go_away_even_when_the_model_fails():
    model = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.Linear(4, 1))
    running = model[1].running_mean.clone()
    with pytest.raises(
        InvalidValue, match=r"variance_profile: batch must fit, got float32 of shape \(5, 3\)"
    ):
        variance_profile(model, torch.randn(5, 3) + 7)
    assert not any(module._forward_hooks for module in model.modules())
    assert torch.equal(model[1].running_mean, running)


def test_works_inside_inference_code():
    with torch.no_grad():
        [row] = variance_profile(nn.Linear(2, 2), torch.ones(4, 2))
    assert row.gradient_variance > 0


def test_frozen_models_are_refused():
    with pytest.raises(InvalidValue, match=r"variance_profile: model must have a parameter"):
        variance_profile(nn.Linear(2, 2).requires_grad_(False), torch.ones(1, 2))
