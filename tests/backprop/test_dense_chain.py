"""The recursion for the errors of a dense network, against numbers by hand, autograd and the general recursion."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.backprop import backpropagate, delta_recursion
from gradatim.errors import InvalidValue


def tensors(*values):
    return [torch.tensor(value, dtype=torch.float64) for value in values]


def test_net_of_one_sigmoid_and_one_linear_unit():
    one = torch.ones(1, 1).double()
    chain = delta_recursion(tensors([[0.4]], [[0.5]]), tensors([0.3], [0.1]), one, one / 2)
    assert [z.item() for z in chain.z] == pytest.approx([0.7, 0.43409389], abs=5e-9)
    assert [h.item() for h in chain.h] == pytest.approx([0.66818777, 0.43409389], abs=5e-9)
    assert chain.loss.item() == pytest.approx(0.00217181, abs=5e-9)
    assert [d.item() for d in chain.delta] == pytest.approx([-0.00730612, -0.06590611], abs=5e-9)
    assert [g.item() for g in chain.weight_gradients] == pytest.approx(
        [-0.00730612, -0.04403766], abs=5e-9
    )
    assert [g.item() for g in chain.bias_gradients] == pytest.approx(
        [-0.00730612, -0.06590611], abs=5e-9
    )


@pytest.mark.parametrize("activation", ["sigmoid", "tanh", "relu", "identity"])
@pytest.mark.parametrize("loss", ["half_squared_error", "cross_entropy"])
def test_equals_the_recursion_over_stages(activation, loss):
    torch.manual_seed(0)
    modules = {"sigmoid": nn.Sigmoid, "tanh": nn.Tanh, "relu": nn.ReLU, "identity": nn.Identity}
    layers = [
        nn.Linear(4, 5),
        modules[activation](),
        nn.Linear(5, 6),
        modules[activation](),
        nn.Linear(6, 3),
    ]
    model = nn.Sequential(*layers).double()
    x, y = torch.randn(7, 4).double(), torch.randn(7, 3).double().softmax(1)
    energies = {
        "half_squared_error": lambda o, y: (o - y).square().sum() / 2,
        "cross_entropy": lambda o, y: F.cross_entropy(o, y, reduction="sum"),
    }
    trace = backpropagate(model, energies[loss], x, y)
    weights, biases = (
        [m.weight.detach() for m in layers[::2]],
        [m.bias.detach() for m in layers[::2]],
    )
    chain = delta_recursion(weights, biases, x, y, activation=activation, loss=loss)
    torch.testing.assert_close(chain.loss, trace.loss)
    for layer, stage in enumerate([0, 2, 4]):
        torch.testing.assert_close(chain.z[layer], trace.stages[stage].output)
        torch.testing.assert_close(chain.delta[layer], trace.stages[stage].costate)
        torch.testing.assert_close(
            chain.weight_gradients[layer], trace.gradients[f"{stage}.weight"]
        )
        torch.testing.assert_close(chain.bias_gradients[layer], trace.gradients[f"{stage}.bias"])


def test_perfect_prediction_has_zero_loss_and_gradient():
    W, b, x = torch.randn(2, 3).double(), torch.randn(2).double(), torch.randn(5, 3).double()
    chain = delta_recursion([W], [b], x, x @ W.T + b)
    assert chain.loss == 0
    assert chain.weight_gradients[0].abs().max() == 0


def test_cross_entropy_survives_large_outputs():
    x = torch.tensor([[1000.0]]).double()
    chain = delta_recursion(
        tensors([[1.0], [-1.0]]),
        tensors([0.0, 0.0]),
        x,
        *tensors([[0.0, 1.0]]),
        loss="cross_entropy",
    )
    assert chain.loss.item() == 2000
    assert chain.delta[0].tolist() == [[1.0, -1.0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"activation": "sigmod"}, "activation must be one of sigmoid, .* got 'sigmod'"),
        ({"loss": "mse"}, "loss must be one of .* got 'mse'"),
        ({"biases": []}, "weights and biases must be equally many, at least one of each, got 1 and 0"),
        ({"x": torch.ones(3)}, r"x must have shape \(B, n_0\), got \(3,\)\. Try x\[None\]"),
        ({"weights": [torch.ones(2, 4)]}, r"weights and biases of layer 1 must have shapes \(n, 3\) and \(n,\), got \(2, 4\) and \(2,\)"),
        ({"biases": [torch.ones(3)]}, r"weights and biases of layer 1 must have shapes \(n, 3\) and \(n,\), got \(2, 3\) and \(3,\)"),
        ({"y": torch.ones(2)}, r"y must have shape \(1, 2\), got \(2,\)"),
    ],
)  # fmt: skip
def test_errors(change, message):
    arguments = {
        "weights": [torch.ones(2, 3)],
        "biases": [torch.ones(2)],
        "x": torch.ones(1, 3),
        "y": torch.ones(1, 2),
    }
    with pytest.raises(InvalidValue, match=f"delta_recursion: {message}"):
        delta_recursion(**(arguments | change))
