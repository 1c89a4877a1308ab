"""The path of an optimizer is what a loop written by hand gives."""

import pytest
import torch

from gradatim.instruments import descend, trajectory
from gradatim.optim import OPTIMIZERS, HeavyBall
from gradatim.randomness import seeded

START = torch.tensor([1.0, -2.0], dtype=torch.float64)


def h(w):
    return w[0] ** 2 + 3 * w[1] ** 2


def test_sgd_is_descent():
    ours, exact = (
        trajectory("sgd", h, START, lr=0.05, steps=7),
        descend(h, START, lr=0.05, steps=7),
    )
    for a, b in zip(ours, exact, strict=True):
        torch.testing.assert_close(a, b)


def test_factories_and_the_start():
    start = START.clone()
    path = trajectory(lambda p, lr: HeavyBall(p, lr=lr, momentum=0.5), h, start, lr=0.1, steps=2)
    one = START - 0.1 * torch.tensor([2.0, 6.0]) * START
    two = one - 0.1 * torch.tensor([2.0, 6.0]) * one + 0.5 * (one - START)
    torch.testing.assert_close(path.points, torch.stack([START, one, two]))
    assert torch.equal(start, START)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_name_has_a_path(name):
    with seeded(0):
        path = trajectory(name, h, START, lr=1e-2, steps=3)
    assert path.points.shape == (4, 2)
    assert path.values.shape == path.gradient_norms.shape == (4,)
    assert path.values[0] == h(START)
