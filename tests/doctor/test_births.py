"""The lines where weights were made, set and frozen, and the same results as without anybody looking."""

import inspect

import torch
from torch import nn

from gradatim.doctor.births import Births
from gradatim.doctor.observing import Observer
from gradatim.doctor.patching import Safely


def line():
    return inspect.currentframe().f_back.f_lineno


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight, self.made = nn.Parameter(torch.ones(4, 3)), line()


def test_the_line_that_sets_a_weight_is_known():
    births = Births(Safely())
    births.install()
    try:
        layer, own = nn.Linear(3, 4), Own()
        nn.init.constant_(layer.weight, 0.5)
        set_at = line() - 1
        layer.bias.data.fill_(-9.0)
        bias_at = line() - 1
        layer.bias.requires_grad = False
        frozen_at = line() - 1
    finally:
        births.remove()
    assert births.start_of(layer.weight).line == set_at
    assert births.start_of(layer.bias).line == bias_at
    assert births.start_of(own.weight).line == own.made
    assert births.frozen_at(layer.bias).line == frozen_at
    assert births.frozen_at(layer.weight) is None
    assert births.safely.notes == []


def test_everything_is_put_back():
    before = [vars(torch.Tensor).get(name) for name in ("fill_", "requires_grad", "__setitem__")]
    with Observer():
        pass
    assert [vars(torch.Tensor).get(name) for name in ("fill_", "requires_grad", "__setitem__")] == before  # fmt: skip


def test_a_layer_that_starts_equal_is_placed_where_it_was_set():
    torch.manual_seed(0)
    X = torch.randn(64, 3)
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
    observer = Observer()
    with observer:
        for p in model.parameters():
            nn.init.constant_(p, 0.1)
            set_at = line() - 1
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(20):
            optimizer.zero_grad()
            (model(X) - X[:, :1]).pow(2).mean().backward()
            optimizer.step()
    assert observer.facts().layers["0"].start.line == set_at
