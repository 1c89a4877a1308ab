"""A refused call changes nothing: whatever keeps a state has the same one after an error as before."""

import numpy as np
import pytest
import torch
from torch import nn

from gradatim import NeuralClassifier, NeuralRegressor, Trainer, neurons, timeseries
from gradatim import nn as layers
from gradatim.errors import GradatimError
from gradatim.models import MLP, FastCNN, load_weights
from gradatim.optim import EntropySGD, Extragradient
from gradatim.randomness import seeded
from gradatim.training import replace_head

X = torch.tensor(
    [[1.0, -1.0, 1.0, 1.0], [-1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, 1.0], [-1.0, 1.0, 1.0, 1.0]]
)
Y = np.array([1, -1, 1, -1])
WIDE = torch.ones(2, 5)


def made(build):
    with seeded(0):
        return build()


def cache():
    held = layers.KeyValueCache(1, 1, 4, 2, like=torch.zeros(()))
    held.key.zero_(), held.value.zero_()
    held.extend(torch.ones(1, 1, 3, 2), torch.ones(1, 1, 3, 2))
    return held


def memory(kind):
    held = kind(4)
    held.store(X[:2])
    return held


def fitted(model, y=Y):
    return model.fit(X.numpy(), y)


def network():
    return MLP((4, 3, 2))


def trained(kind):
    """An optimizer after a step, with the weight that it moves."""
    w = nn.Parameter(torch.ones(2))
    optimizer = kind([w], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = w.square().sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    return optimizer


def missing(optimizer):
    """A state of another number of weights."""
    state = optimizer.state_dict()
    state["param_groups"][0]["params"] = [0, 1]
    return state


NAN = np.array([[np.nan, 1.0, 1.0, 1.0]] * 4)
NETWORK = {"hidden": (3,), "epochs": 1}
# What keeps a state, and calls that it must refuse.
REFUSED = {
    "KeyValueCache": (cache, [lambda c: c.extend(torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2))]),
    "Hopfield": (lambda: memory(neurons.Hopfield), [lambda m: m.store(WIDE), lambda m: m.store(0.5 * X), lambda m: m.store("x")]),
    "DenseMemory": (lambda: memory(neurons.DenseMemory), [lambda m: m.store(WIDE), lambda m: m.store(0.5 * X)]),
    "ModernHopfield": (lambda: memory(neurons.ModernHopfield), [lambda m: m.store(WIDE), lambda m: m.store([[1.0], [2.0, 3.0]])]),
    "NGram": (lambda: timeseries.NGram(2, 5).fit([torch.arange(4)]), [lambda m: m.fit([torch.arange(4), torch.tensor([1, 9])]), lambda m: m.fit([])]),
    "Perceptron": (lambda: fitted(neurons.Perceptron()), [lambda m: m.fit(NAN, Y), lambda m: m.fit(X.numpy(), Y[:2]), lambda m: m.fit(X.numpy(), [1, 2, 3, 4])]),
    "Adaline": (lambda: fitted(neurons.Adaline()), [lambda m: m.fit(NAN, Y), lambda m: m.fit(X.numpy(), Y[:2])]),
    "Madaline": (lambda: fitted(neurons.Madaline(max_epochs=1)), [lambda m: m.fit(NAN, Y), lambda m: m.fit(X.numpy(), Y[:2])]),
    "NeuralClassifier": (lambda: fitted(NeuralClassifier(**NETWORK)), [lambda m: m.fit(NAN, Y), lambda m: m.fit(X.numpy(), Y[:2])]),
    "NeuralRegressor": (lambda: fitted(NeuralRegressor(**NETWORK), X[:, 0].numpy()), [lambda m: m.fit(NAN, Y), lambda m: m.fit(X.numpy(), Y[:2])]),
    "load_weights": (network, [lambda m: load_weights("test", m, MLP((4, 5, 2)).state_dict()), lambda m: load_weights("test", m, {"0.weight": torch.ones(3, 4)})]),
    "FastCNN.whiten": (lambda: FastCNN(2, widths=(4, 4, 4)), [lambda m: m.whiten(torch.rand(2, 1, 8, 8)), lambda m: m.whiten(torch.rand(0, 3, 8, 8))]),
    "initialize": (network, [lambda m: layers.initialize(m, "hee")]),
    "replace_head": (network, [lambda m: replace_head(m, 0), lambda m: replace_head(m, 2.5)]),
    "apply_masks": (network, [lambda m: layers.apply_masks(m, {"0": torch.ones(3, 4), "2": torch.ones(1)})]),
    "normalize_weights": (lambda: nn.Sequential(nn.ReLU()), [layers.normalize_weights]),
    "permute_hidden": (network, [lambda m: layers.permute_hidden(m, 0, torch.tensor([0, 0, 1]))]),
    "EntropySGD": (lambda: trained(EntropySGD), [lambda o: o.step(), lambda o: o.load_state_dict(missing(o))]),
    "Extragradient": (lambda: trained(Extragradient), [lambda o: o.step(), lambda o: o.load_state_dict(missing(o))]),
    "Trainer": (lambda: Trainer(network(), epochs=1, progress=False), [lambda t: t.resume("no-such-file"), lambda t: t.fit((X, torch.zeros(3))), lambda t: t.fit((X[:0], torch.zeros(0).long()))]),
}  # fmt: skip


SCIKIT_LEARN = {"Perceptron", "Adaline", "Madaline", "NeuralClassifier", "NeuralRegressor"}
PYTORCH = {"EntropySGD", "Extragradient"}
OTHERS = SCIKIT_LEARN | PYTORCH  # whose own checks may speak first


def state(value):
    """All that a thing holds, as plain values."""
    if isinstance(value, torch.Tensor):
        return [str(value.dtype), value.tolist()]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, nn.Module):
        return [str(value), state(dict(value.state_dict()))]
    if isinstance(value, torch.optim.Optimizer):
        return state(value.state_dict())
    if isinstance(value, dict):
        return {str(key): state(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [state(part) for part in value]
    if type(value).__module__.startswith("gradatim") and hasattr(value, "__dict__"):
        return state(vars(value))
    return repr(value)


@pytest.mark.parametrize("name", list(REFUSED))
def test_a_refusal_changes_nothing(name):
    build, calls = REFUSED[name]
    for call in calls:
        thing = made(build)
        before = state(thing)
        with pytest.raises((GradatimError, ValueError) if name in OTHERS else GradatimError):
            call(thing)
        assert state(thing) == before
