"""The autograd-free path gives the numbers of the general one."""

import itertools

import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import nn

from gradatim.losses import LOSSES
from gradatim.models import MLP
from gradatim.training import Callback, Trainer
from gradatim.training.batches import InMemory
from gradatim.training.engines.chain import Chain, is_chain
from gradatim.training.engines.choosing import why_not_chain
from gradatim.training.starting import describe_run


class NeedsAutograd(Callback):
    needs_autograd = True


class Norms(Callback):
    def on_fit_start(self, trainer):
        self.values = []

    def on_gradients(self, trainer, loss):
        self.values.append(sum(p.grad.norm() ** 2 for p in trainer.model.parameters()).item())


def train(callbacks, *, sizes=(5, 16, 8, 3), loss="cross_entropy", model=None, **arguments):
    torch.manual_seed(0)
    network = {k: arguments.pop(k) for k in ("activation", "dropout", "bias") if k in arguments}
    model = model() if model else MLP(sizes, **network)
    X = torch.randn(203, 5)
    y = torch.randint(3, (203,)) if loss == "cross_entropy" else torch.rand(203, sizes[-1])
    y = y.round() if loss == "bce" else y
    norms = Norms()
    trainer = Trainer(
        model, loss, epochs=3, batch_size=32, callbacks=[norms, *callbacks], **arguments
    )
    history = trainer.fit((X, y))
    return model, history, trainer, norms.values


CASES = [
    {},
    {"dropout": 0.3},
    {"activation": "tanh"},
    {"activation": "sigmoid", "dropout": 0.5},
    {"bias": False},
    {"sizes": (5, 3)},
    {"loss": "mse"},
    {"loss": "bce", "activation": "tanh"},
    {"optimizer": "adamw", "weight_decay": 0.1},
    {"optimizer": "adam", "weight_decay": 0.01, "schedule": "cosine"},
    {"optimizer": "sgd", "lr": 0.1},
    {"optimizer": "nesterov", "lr": 0.05, "weight_decay": 0.01},
    {"optimizer": "momentum", "lr": 0.05, "clip_norm": 0.1},
    {"optimizer": "sgd", "lr": 0.05, "clip_value": 0.01},
    {"optimizer": "adam", "clip_value": 0.02, "clip_norm": 0.1},
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_same_numbers_as_autograd(case):
    fast, fast_history, fast_trainer, fast_norms = train([], **case)
    slow, slow_history, slow_trainer, slow_norms = train([NeedsAutograd()], **case)
    for a, b in zip(fast.parameters(), slow.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(
        fast_history["train_loss"], slow_history["train_loss"], rtol=1e-5, atol=1e-7
    )
    torch.testing.assert_close(fast_norms, slow_norms, rtol=1e-4, atol=1e-7)
    state, other = fast_trainer.optimizer.state_dict(), slow_trainer.optimizer.state_dict()
    assert state["state"].keys() == other["state"].keys()
    for key in state["state"]:
        assert state["state"][key].keys() == other["state"][key].keys()
        for name, value in state["state"][key].items():
            if value is not None:
                torch.testing.assert_close(value, other["state"][key][name], rtol=1e-4, atol=1e-6)


def test_the_fast_path_really_runs(monkeypatch):
    calls = []
    forward = Chain.forward
    monkeypatch.setattr(Chain, "forward", lambda *a: calls.append(1) or forward(*a))
    train([])
    assert len(calls) == 21
    train([NeedsAutograd()])
    assert len(calls) == 21


@settings(max_examples=25, deadline=None)
@given(
    widths=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    rows=st.integers(1, 12),
    activation=st.sampled_from([nn.ReLU, nn.Tanh, nn.Sigmoid]),
    loss=st.sampled_from(["mse", "bce", "cross_entropy"]),
    seed=st.integers(0, 2**20),
)
def test_gradients_equal_autograd_in_double_precision(widths, rows, activation, loss, seed):
    torch.manual_seed(seed)
    layers = []
    for n_in, n_out in itertools.pairwise(widths):
        layers += [nn.Linear(n_in, n_out), activation()]
    model = nn.Sequential(*layers[:-1]).double()
    X = torch.randn(rows, widths[0], dtype=torch.float64)
    y = torch.rand(rows, widths[-1], dtype=torch.float64)
    if loss == "cross_entropy":
        assume(widths[-1] > 1)  # of one class there is nothing to learn
        y = torch.randint(widths[-1], (rows,))
    value = LOSSES[loss](model(X), y)
    expected = torch.autograd.grad(value, list(model.parameters()))
    for p in model.parameters():
        p.grad = torch.full_like(p, float("nan"))
    with torch.no_grad():
        chain = Chain(model, LOSSES[loss], rows)
        torch.testing.assert_close(chain.forward(X, y), value.detach())
        chain.backward()
    for p, gradient in zip(model.parameters(), expected, strict=True):
        torch.testing.assert_close(p.grad, gradient)


def test_inputs_are_never_written_to():
    X = torch.randn(64, 5)
    copy = X.clone()
    Trainer(MLP((5, 4, 2)), epochs=1, batch_size=64).fit((X, torch.randint(2, (64,))))
    assert torch.equal(X, copy)


def test_parameters_own_their_memory_afterwards():
    model, *_ = train([])
    storages = {p.untyped_storage().data_ptr() for p in model.parameters()}
    assert len(storages) == len(list(model.parameters()))
    assert all(p.grad is None for p in model.parameters())


@pytest.mark.parametrize(
    "model",
    [
        nn.Sequential(nn.ReLU(), nn.Linear(2, 2)),
        nn.Sequential(nn.Linear(2, 2), nn.ReLU()),
        nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Tanh(), nn.Linear(2, 2)),
        nn.Sequential(nn.Linear(2, 2), nn.GELU(), nn.Linear(2, 2)),
        nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Linear(2, 2)),
        nn.Sequential(*[nn.Linear(2, 2)] * 2),
        nn.Linear(2, 2),
        nn.Sequential(),
    ],
)
def test_everything_else_takes_the_general_path(model):
    assert not is_chain(model, LOSSES["mse"])


def test_hooks_frozen_weights_and_parametrizations_take_the_general_path():
    mse = LOSSES["mse"]
    assert is_chain(MLP((2, 3, 1)), mse)
    assert not is_chain(MLP((2, 3, 1)), lambda f, y: f.mean())
    hooked, frozen, normed = MLP((2, 3, 1)), MLP((2, 3, 1)), MLP((2, 3, 1))
    hooked[0].register_forward_hook(lambda *_: None)
    frozen[0].weight.requires_grad_(False)
    nn.utils.parametrizations.weight_norm(normed[0])
    assert not any(is_chain(m, mse) for m in (hooked, frozen, normed))


@pytest.mark.parametrize(
    ("arguments", "x", "y", "fits"),
    [
        ({}, torch.randn(8, 2), torch.zeros(8).long(), True),
        ({}, torch.randn(8, 1, 2), torch.zeros(8).long(), True),
        (
            {"model": nn.Sequential(nn.Linear(2, 2))},
            torch.randn(8, 3, 2),
            torch.zeros(8).long(),
            False,
        ),
        ({}, torch.randn(8, 2), torch.rand(8, 2), False),
        ({"model": MLP((2, 1))}, torch.randn(8, 2), torch.zeros(8).long(), False),
        ({"optimizer": "rmsprop"}, torch.randn(8, 2), torch.zeros(8).long(), False),
        (
            {"objective": lambda m, b: m(b[0]).mean()},
            torch.randn(8, 2),
            torch.zeros(8).long(),
            False,
        ),
        ({}, torch.randn(8, 2).double(), torch.zeros(8).long(), False),
    ],
)
def test_when_the_fast_path_is_taken(arguments, x, y, fits):
    trainer = Trainer(arguments.pop("model", None) or MLP((2, 2)), **arguments)
    batches = InMemory((x, y), 4, seed=0, device=torch.device("cpu"))
    assert (why_not_chain(describe_run(trainer, batches), batches) == "") is fits


def test_thread_count_is_restored():
    before = torch.get_num_threads()
    train([])
    assert torch.get_num_threads() == before
