"""Symmetries as properties: the function stays, the weights change."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.errors import InvalidType, InvalidValue
from gradatim.models import MLP
from gradatim.nn import collapse_linear, permute_hidden

widths = st.lists(st.integers(1, 6), min_size=3, max_size=5)


@settings(max_examples=30, deadline=None)
@given(widths, st.sampled_from(["relu", "tanh", "prelu"]), st.data())
def test_permuting_hidden_units_keeps_the_function(sizes, activation, data):
    torch.manual_seed(0)
    model = MLP(sizes, activation=activation).double()
    for parameter in model.parameters():
        nn.init.normal_(parameter)  # biases too
    layer = data.draw(st.integers(0, len(sizes) - 3))
    order = data.draw(st.permutations(range(sizes[layer + 1])))
    permuted = permute_hidden(model, layer, order)
    x = torch.randn(4, sizes[0], dtype=torch.float64)
    torch.testing.assert_close(permuted(x), model(x))
    rows = [module for module in model if isinstance(module, nn.Linear)][layer].weight
    moved = [module for module in permuted if isinstance(module, nn.Linear)][layer].weight
    assert torch.equal(moved, rows[list(order)])


@pytest.mark.parametrize("norm", ["batch", "layer"])
def test_norms_and_unit_slopes_move_along(norm):
    torch.manual_seed(0)
    model = MLP((3, 5, 2), norm=norm, activation="prelu")
    model[2] = nn.PReLU(5)
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    model(torch.randn(16, 3))  # running statistics differ between units
    model.eval()
    x = torch.randn(4, 3)
    torch.testing.assert_close(permute_hidden(model, 0, torch.tensor([4, 2, 0, 1, 3]))(x), model(x))


@settings(max_examples=30, deadline=None)
@given(widths, st.booleans())
def test_linear_layers_collapse_into_one(sizes, bias):
    torch.manual_seed(0)
    model = MLP(sizes, activation="identity", bias=bias).double()
    for parameter in model.parameters():
        nn.init.normal_(parameter)
    single = collapse_linear(model)
    assert len(single) == 1
    assert (single[0].bias is not None) == bias
    x = torch.randn(4, sizes[0], dtype=torch.float64)
    torch.testing.assert_close(single(x), model(x))


def test_the_product_of_matrices():
    model = nn.Sequential(*(nn.Linear(2, 2, bias=False) for _ in range(3)))
    matrices = [
        torch.tensor(m) for m in ([[1.0, 2], [3, 4]], [[0.0, 1], [1, 0]], [[2.0, 0], [0, 1]])
    ]
    for layer, matrix in zip(model, matrices, strict=True):
        layer.weight.data = matrix
    assert torch.equal(collapse_linear(model)[0].weight, matrices[2] @ matrices[1] @ matrices[0])


def test_only_runs_of_dense_layers_collapse_and_the_original_stays():
    model = nn.Sequential(
        nn.Linear(2, 3), nn.Linear(3, 4, bias=False), nn.Tanh(), nn.Linear(4, 4), nn.Linear(4, 1)
    )
    merged = collapse_linear(model)
    assert [type(module).__name__ for module in merged] == ["Linear", "Tanh", "Linear"]
    x = torch.randn(5, 2)
    torch.testing.assert_close(merged(x), model(x))
    with torch.no_grad():
        merged[0].weight.zero_()
    assert model[0].weight.abs().sum() > 0


def test_errors():
    model = MLP((2, 3, 1))
    with pytest.raises(InvalidValue, match=r"layer must be in 0\.\.0, the hidden layers, got 1"):
        permute_hidden(model, 1, [0])
    with pytest.raises(
        InvalidValue, match=r"permutation must hold each of 0\.\.2 once, got \[0, 0, 1\]"
    ):
        permute_hidden(model, 0, [0, 0, 1])
    with pytest.raises(InvalidType, match=r"permute_hidden: model must be an nn.Sequential"):
        permute_hidden(nn.Linear(1, 1), 0, [0])
    with pytest.raises(InvalidType, match=r"collapse_linear: model must be an nn.Sequential"):
        collapse_linear(nn.Linear(1, 1))
