import numpy as np
import pytest
import torch
from torch import nn

from gradatim.models import MLP, ResidualMLP
from gradatim.theory.relu_chain import read_chain


def evaluate(chain, x):
    for layer in chain.layers:
        z = x @ layer.weight.T + layer.bias
        x = np.where(z > 0, z, layer.slope * z)
    return x @ chain.weight.T + chain.bias


def models():
    norm = MLP((3, 6, 5, 2), norm="batch", activation="leaky_relu", dropout=0.3)
    for module in norm:
        if isinstance(module, nn.BatchNorm1d):
            nn.init.normal_(module.weight)
            nn.init.normal_(module.bias)
            module.running_mean.normal_()
            module.running_var.uniform_(0.5, 2.0)
    prelu = nn.Sequential(nn.Linear(3, 4), nn.PReLU(4), nn.Linear(4, 1))
    nn.init.uniform_(prelu[1].weight)
    return {
        "mlp": MLP((3, 5, 4, 2)),
        "batch norm, leaky, dropout": norm,
        "prelu per unit": prelu,
        "nested": nn.Sequential(
            nn.Flatten(),
            nn.Linear(3, 4, bias=False),
            nn.Linear(4, 5),
            nn.Sequential(nn.ReLU(), nn.Identity(), nn.Linear(5, 2)),
            nn.ReLU(),
        ),
        "begins with a kink": nn.Sequential(nn.ReLU(), nn.Linear(3, 2)),
        "plain affine": nn.Linear(3, 2),
        "norm without affine": nn.Sequential(nn.BatchNorm1d(3, affine=False), nn.ReLU()),
    }


@pytest.mark.parametrize("name", models())
def test_computes_what_the_model_computes(name):
    torch.manual_seed(0)
    model = models()[name].double().eval()
    x = torch.randn(50, 3, dtype=torch.float64)
    chain = read_chain("test", model, 3)
    np.testing.assert_allclose(evaluate(chain, x.numpy()), model(x).detach().numpy(), atol=1e-12)


@pytest.mark.parametrize(
    ("model", "culprit"),
    [
        (MLP((2, 3, 1), activation="tanh"), "Tanh"),
        (MLP((2, 3, 1), norm="layer"), "LayerNorm"),
        (ResidualMLP((2, 3, 1)), "ResidualMLP"),
        (nn.BatchNorm1d(2, track_running_stats=False), "BatchNorm1d"),
    ],
)
def test_refuses_what_is_no_chain_of_kinks(model, culprit):
    message = rf"asker: model must be a chain of Linear and ReLU.*, got {culprit}"
    with pytest.raises(TypeError, match=message):
        read_chain("asker", model, 2)


def test_refuses_another_number_of_inputs():
    with pytest.raises(ValueError, match=r"asker: model must take 3 values where Linear.*, got 2"):
        read_chain("asker", MLP((2, 3, 1)), 3)
