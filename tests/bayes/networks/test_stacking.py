import pytest
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from gradatim.bayes.networks.stacking import StackedNetwork
from gradatim.models import MLP, LeNet, SequenceClassifier


class Reader(nn.Module):
    """PyTorch's LSTM, which cannot be mapped, and a head."""

    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(3, 4, batch_first=True), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])


def one_by_one(model, theta, x):
    outputs = []
    for row in theta:
        vector_to_parameters(row, model.parameters())
        with torch.no_grad():
            out = model.eval()(x)
        outputs.append(out[0] if isinstance(out, tuple) else out)
    return torch.stack(outputs)


CASES = {
    "chain": (lambda: MLP((3, 5, 4, 2), activation="tanh", dropout=0.5), (6, 3), True),
    "chain of images": (lambda: MLP((12, 5, 2)), (6, 1, 3, 4), True),
    "without bias": (lambda: nn.Sequential(nn.Linear(3, 4, bias=False), nn.GELU(), nn.Linear(4, 1)), (6, 3), True),
    "over places": (lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Flatten(), nn.Linear(20, 2)), (6, 5, 3), False),
    "one layer": (lambda: nn.Linear(3, 2), (6, 3), False),
    "norm": (lambda: MLP((3, 5, 2), norm="batch"), (6, 3), False),
    "convolution": (lambda: LeNet(), (2, 1, 28, 28), False),
    "lstm": (Reader, (6, 5, 3), False),
    "own recurrence": (lambda: SequenceClassifier(3, 2, hidden_dim=4), (6, 5, 3), False),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_rows_are_networks(name):
    build, shape, is_chain = CASES[name]
    torch.manual_seed(0)
    model, x = build().train(), torch.randn(shape)
    own = parameters_to_vector(model.parameters()).detach()
    theta = own + 0.1 * torch.randn(3, len(own))
    network = StackedNetwork(model, "test")
    assert network.is_chain == is_chain
    torch.testing.assert_close(network.present, own)
    found = network(theta, x)
    assert model.training
    assert torch.equal(parameters_to_vector(model.parameters()), own)
    torch.testing.assert_close(found, one_by_one(model, theta, x), atol=1e-5, rtol=1e-4)


def test_frozen_weights_stay():
    model = MLP((3, 4, 2))
    model[0].requires_grad_(False)
    network = StackedNetwork(model, "test")
    assert len(network.present) == 4 * 2 + 2
    x = torch.randn(5, 3)
    torch.testing.assert_close(network(network.present[None], x)[0], model(x).detach())
    with pytest.raises(ValueError, match="test: model must have a trainable parameter, got none"):
        StackedNetwork(model.requires_grad_(False), "test")


def test_shared_weights_are_one_set():
    layer, mirror = nn.Linear(3, 3), nn.Linear(3, 3)
    mirror.weight = layer.weight
    x = torch.randn(5, 3)
    for model, size in ((nn.Sequential(layer, nn.Tanh(), layer), 12), (nn.Sequential(layer, nn.Tanh(), mirror), 15)):  # fmt: skip
        network = StackedNetwork(model, "test")
        assert len(network.present) == size
        doubled = 2 * network.present
        found = network(torch.stack([network.present, doubled]), x)
        torch.testing.assert_close(found[0], model(x).detach())
        torch.testing.assert_close(found, one_by_one(model, torch.stack([network.present, doubled]), x))  # fmt: skip
