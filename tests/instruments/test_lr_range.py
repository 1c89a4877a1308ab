"""The rate at which a known problem explodes, and a model that is left alone."""

import copy

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import lr_range_test
from gradatim.instruments.lr_range import smooth
from gradatim.models import MLP


def blobs():
    generator = torch.Generator().manual_seed(0)
    y = torch.randint(3, (300,), generator=generator)
    return torch.randn(300, 4, generator=generator) + 3 * nn.functional.one_hot(y, 4), y


def test_explodes_where_theory_says():
    """Mean squared error of a linear model with white inputs has L = 2: descent diverges from η = 1 on."""
    generator = torch.Generator().manual_seed(0)
    X = torch.linalg.qr(torch.randn(40, 5, generator=generator)).Q * 40**0.5
    y = X @ torch.tensor([1.0, -2.0, 0.5, 3.0, 1.0]) + torch.randn(40, generator=generator)
    model = nn.Linear(5, 1, bias=False)
    nn.init.zeros_(model.weight)
    found = lr_range_test(model, (X, y), "mse", "sgd", low=1e-2, high=100, batch_size=40, steps=60)
    assert found.diverged
    assert found.suggestion < 1 < found.lrs[-1] < 10


def test_rates_grow_by_a_constant_factor_and_losses_are_of_the_run():
    torch.manual_seed(0)
    found = lr_range_test(MLP((4, 8, 3)), blobs(), low=1e-5, high=1e-2, steps=40, batch_size=50)
    assert not found.diverged
    assert len(found.lrs) == len(found.losses) == len(found.smoothed) == 40
    assert found.lrs[0] == pytest.approx(1e-5)
    assert found.lrs[-1] == pytest.approx(1e-2)
    np.testing.assert_allclose(np.diff(np.log(found.lrs)), np.log(1e3) / 39)
    assert found.losses[-1] < found.losses[0]
    assert found.lrs[0] <= found.suggestion <= found.lowest


@pytest.mark.parametrize("norm", [None, "batch"])
def test_model_is_left_alone(norm):
    model = MLP((4, 8, 3), norm=norm)
    before = copy.deepcopy(model.state_dict())
    is_training = model.training
    rng = torch.get_rng_state()
    lr_range_test(model, blobs(), steps=20)
    assert model.training is is_training
    assert torch.equal(rng, torch.get_rng_state())
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor, before[name])
    assert all(p.grad is None for p in model.parameters())


def test_same_seed_same_numbers():
    model = MLP((4, 8, 3), dropout=0.3)
    first, second, other = (
        lr_range_test(model, blobs(), steps=30, batch_size=64, seed=seed) for seed in (1, 1, 2)
    )
    assert first == second
    assert first.losses != other.losses


def test_suggestion_trains_well():
    from gradatim.training import Trainer

    model = MLP((4, 16, 3))
    found = lr_range_test(model, blobs(), steps=100, batch_size=64)
    trainer = Trainer(model, lr=found.suggestion, epochs=10, batch_size=64)
    trainer.fit(blobs())
    assert trainer.evaluate(blobs(), ["accuracy"])["accuracy"] > 0.85


def test_streams_and_custom_steps():
    X, y = blobs()

    def step(model, batch):
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    found = lr_range_test(MLP((4, 3)), [(X, y), (X, y)], objective=step, steps=15)
    assert len(found.losses) == 15


def test_infinite_losses_end_the_test_quietly():
    X = torch.full((20, 1), 1e15)
    found = lr_range_test(
        nn.Linear(1, 1), (X, X * 0), "mse", "sgd", low=1e-36, high=1.0, steps=60, explosion=1e30
    )
    assert found.diverged


def test_smooth_weighs_neighbours_geometrically():
    values = [3.0, -1.0, 4.0, 1.0]

    def one_way(values):
        weights = [0.8 ** np.arange(k, -1, -1) for k in range(len(values))]
        return [np.average(values[: k + 1], weights=w) for k, w in enumerate(weights)]

    expected = one_way(one_way(values)[::-1])[::-1]
    assert smooth(values, memory=0.8) == pytest.approx(expected)
    assert smooth(values, memory=0.0) == values


def test_figure_and_repr():
    found = lr_range_test(MLP((4, 3)), blobs(), steps=20)
    assert isinstance(found.figure(), Figure)
    assert repr(found).startswith("LRRange(suggestion=")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"low": 1.0, "high": 0.1}, "low and high must be 0 < low < high, got 1.0 and 0.1"),
        ({"low": 0.0}, "low and high must be 0 < low < high"),
        ({"high": float("inf")}, "low and high must be"),
        ({"steps": 3}, "steps must be at least 10, got 3"),
        ({"smoothing": 1.0}, r"smoothing must be in \[0, 1\), got 1.0"),
        ({"objective": lambda m, b: {"figure": 0.0}}, "objective must return a loss, got none"),
        ({"low": 1e20, "high": 1e30, "optimizer": "sgd"}, "low must be a rate that can train"),
    ],
)
def test_refuses(arguments, message):
    with pytest.raises(InvalidValue, match=f"lr_range_test: {message}"):
        lr_range_test(MLP((4, 8, 3)), blobs(), **arguments)
