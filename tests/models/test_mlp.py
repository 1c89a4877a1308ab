"""The multi-layer perceptron against its formula, and models by name."""

import json

import pytest
import torch
from torch import nn

from gradatim.errors import GradatimError
from gradatim.models import MLP, build, describe, rebuild
from gradatim.training import Trainer


def test_equation_by_hand():
    """h = tanh(W1 x + b1), f = W2 h + b2, in a slow loop."""
    model = MLP((3, 4, 2), activation="tanh").double()
    for p in model.parameters():
        nn.init.normal_(p)
    W1, b1, W2, b2 = (p.detach() for p in model.parameters())
    x = torch.randn(5, 3, dtype=torch.float64)
    for row, output in zip(x, model(x), strict=True):
        h = [torch.tanh(sum(W1[i, j] * row[j] for j in range(3)) + b1[i]) for i in range(4)]
        f = [sum(W2[k, i] * h[i] for i in range(4)) + b2[k] for k in range(2)]
        torch.testing.assert_close(output, torch.stack(f))


def test_parameter_count_of_the_textbook_network():
    assert sum(p.numel() for p in MLP((784, 256, 128, 10)).parameters()) == 235_146


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_any_depth_and_the_order_within_a_layer(depth):
    model = MLP((6, *[5] * (depth - 1), 2), norm="layer", dropout=0.1)
    kinds = [type(m).__name__ for m in model]
    assert kinds == ["Linear", "LayerNorm", "ReLU", "Dropout"] * (depth - 1) + ["Linear"]
    assert model(torch.randn(3, 2, 3)).shape == (3, 2)


@pytest.mark.parametrize(
    ("activation", "variance"), [("relu", 2 / 400), ("tanh", 2 / 700), ("selu", 1 / 400)]
)
def test_default_initialization(activation, variance):
    torch.manual_seed(0)
    model = MLP((400, 300, 1), activation=activation)
    assert model[0].weight.var().item() == pytest.approx(variance, rel=0.02)
    assert not model[0].bias.any()


def test_slices_are_plain_chains():
    model, x = MLP((3, 4, 2)), torch.randn(5, 3)
    assert type(model[:-1]) is nn.Sequential
    torch.testing.assert_close(model[-1](model[:-1](x)), model(x))


def test_gradient_reaches_every_parameter():
    model = MLP((4, 8, 3), norm="batch")
    model(torch.randn(16, 4)).square().sum().backward()
    assert all(
        p.grad is not None and p.grad.abs().sum() > 0
        for n, p in model.named_parameters()
        if n != "0.bias"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": (3,)}, r"sizes must be two or more positive widths, got \(3,\)"),
        ({"sizes": (3, 0)}, "positive widths"),
        ({"sizes": (3, 1), "dropout": 1.0}, r"dropout must be in \[0, 1\), got 1.0"),
        ({"sizes": (3, 1), "norm": "bach"}, "Try 'batch'"),
        ({"sizes": (3, 2, 1), "activation": "rlu"}, "Try 'relu'"),
        ({"sizes": (3, 1), "init": "hee"}, "Try 'he'"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(GradatimError, match=message):
        MLP(**arguments)


def test_description_rebuilds_the_model():
    model = MLP(
        (4, 8, 3), activation="gelu", dropout=0.2, norm="batch", init="orthogonal", bias=False
    )
    description = json.loads(json.dumps(describe(model)))
    again = rebuild(description)
    again.load_state_dict(model.state_dict())
    x = torch.randn(5, 4)
    assert torch.equal(model.eval()(x), again.eval()(x))
    assert describe(again) == describe(model)


def test_registry_refuses_what_it_does_not_know():
    with pytest.raises(GradatimError, match="Try 'mlp'"):
        build("mpl", (2, 1))
    with pytest.raises(GradatimError, match="Try 'activation'"):
        build("mlp", (2, 1), activatoin="relu")
    with pytest.raises(GradatimError, match="missing a required argument: 'sizes'"):
        build("mlp")
    with pytest.raises(GradatimError, match=r"model must be one of Gradatim's own .* got ReLU"):
        describe(nn.ReLU())


def test_normalized_weights_are_the_same_function_and_learn_length_and_direction():
    torch.manual_seed(0)
    plain = MLP((4, 6, 2))
    torch.manual_seed(0)
    model, x = MLP((4, 6, 2), norm="weight"), torch.randn(5, 4)
    torch.testing.assert_close(model(x), plain(x))
    lengths = model[0].parametrizations.weight.original0
    torch.testing.assert_close(lengths, plain[0].weight.norm(dim=1, keepdim=True))
    again = rebuild(json.loads(json.dumps(describe(model))))
    again.load_state_dict(model.state_dict())
    assert torch.equal(again(x), model(x))
    history = Trainer(model, epochs=3, progress=False).fit((x, torch.tensor([0, 1, 0, 1, 1])))
    assert history["train_loss"][-1] < history["train_loss"][0]
