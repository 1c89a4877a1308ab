"""Extrapolation by hand, and PyTorch's form, whose parameters are the extrapolated points."""

import itertools

import pytest
import torch

from gradatim.errors import InvalidType, InvalidValue
from gradatim.optim import NesterovExtrapolation


def test_three_steps_by_hand(scalar):
    """h = 2w², g = 4w, β = 0.5, η = 0.1."""
    before, w, expected = 1.0, 1.0, []
    for _ in range(3):
        ahead = w + 0.5 * (w - before)
        before, w = w, ahead - 0.1 * 4 * ahead
        expected.append(w)
    run = scalar(lambda p: NesterovExtrapolation(p, lr=0.1, momentum=0.5), 1.0, lambda w: 2 * w**2)
    assert run.run(3) == pytest.approx(expected, rel=1e-14)
    assert expected == pytest.approx([0.6, 0.24, 0.036])


def test_pytorch_iterates_are_the_extrapolated_points(scalar):
    def objective(w):
        return torch.cos(w) + 0.1 * w**2

    settings = {"lr": 0.05, "momentum": 0.8}
    path = scalar(lambda p: NesterovExtrapolation(p, **settings), 2.0, objective).run(30)
    theirs = scalar(lambda p: torch.optim.SGD(p, **settings, nesterov=True), 2.0, objective).run(30)
    points = [2.0, *path]
    ahead = [b + 0.8 * (b - a) for a, b in itertools.pairwise(points)]
    assert ahead == pytest.approx(theirs, rel=1e-12)


def test_loss_is_that_of_the_extrapolated_point(scalar):
    run = scalar(lambda p: NesterovExtrapolation(p, lr=0.1, momentum=0.5), 1.0, lambda w: 2 * w**2)
    run.run(1)
    assert run.optimizer.step(run.closure).item() == pytest.approx(2 * (0.6 - 0.2) ** 2)


def test_needs_a_closure():
    w = torch.zeros(1, requires_grad=True)
    with pytest.raises(InvalidType, match="NesterovExtrapolation: closure must be a function"):
        NesterovExtrapolation([w]).step()


def test_refuses_momentum():
    with pytest.raises(InvalidValue, match="NesterovExtrapolation: momentum must be in"):
        NesterovExtrapolation([torch.zeros(1)], momentum=1)
