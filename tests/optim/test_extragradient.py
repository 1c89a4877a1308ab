"""Two gradients by hand, and games where one is not enough."""

import math

import pytest
import torch

from gradatim.errors import InvalidType
from gradatim.optim import Extragradient


def test_three_steps_by_hand(scalar):
    """h = 2w², g = 4w, η = 0.1: half = 0.6 w, next = w − 0.4 · 0.6 w = 0.76 w."""
    run = scalar(lambda p: Extragradient(p, lr=0.1), 1.0, lambda w: 2 * w**2)
    assert run.run(3) == pytest.approx([0.76, 0.76**2, 0.76**3], rel=1e-14)


def test_returns_the_loss_of_the_first_evaluation(scalar):
    run = scalar(lambda p: Extragradient(p, lr=0.1), 1.0, lambda w: 2 * w**2)
    assert run.optimizer.step(run.closure).item() == 2.0


def game(build, steps):
    x, y = (torch.ones(1, dtype=torch.float64, requires_grad=True) for _ in range(2))
    optimizer = build([{"params": [x]}, {"params": [y], "maximize": True}])

    def closure():
        optimizer.zero_grad()
        loss = (x * y).sum()
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)
    return math.hypot(x.item(), y.item())


def test_spirals_into_the_saddle_of_a_bilinear_game_at_the_known_rate():
    """One step is multiplication by 1 − η² − iη for the player pair x + iy."""
    eta = 0.3
    radius = game(lambda p: Extragradient(p, lr=eta), 20)
    assert radius == pytest.approx(math.sqrt(2) * math.sqrt(1 - eta**2 + eta**4) ** 20)


def test_plain_descent_and_ascent_spirals_out():
    eta = 0.3
    radius = game(lambda p: torch.optim.SGD(p, lr=eta), 20)
    assert radius == pytest.approx(math.sqrt(2) * math.sqrt(1 + eta**2) ** 20)


def test_weight_decay_shrinks_climbers_too():
    w = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    optimizer = Extragradient([w], lr=0.1, weight_decay=1.0, maximize=True)

    def closure():
        optimizer.zero_grad()
        loss = (0 * w).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    assert w.item() == pytest.approx(1 - 0.1 * 0.9)


def test_needs_a_closure():
    with pytest.raises(InvalidType, match="Extragradient: closure must be a function"):
        Extragradient([torch.zeros(1, requires_grad=True)]).step()
