"""The average's recursion, and the heavy ball that takes the same path."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.optim import EMAMomentum, HeavyBall


def test_three_steps_by_hand(scalar):
    """h = 2w², g = 4w, β = 0.75, η = 0.2."""
    v, w, expected = 0.0, 1.0, []
    for _ in range(3):
        v = 0.75 * v + 0.25 * 4 * w
        w = w - 0.2 * v
        expected.append(w)
    run = scalar(lambda p: EMAMomentum(p, lr=0.2, momentum=0.75), 1.0, lambda w: 2 * w**2)
    assert run.run(3) == pytest.approx(expected, rel=1e-15)
    assert expected[0] == pytest.approx(0.8)


def test_is_a_heavy_ball_with_a_smaller_rate(scalar):
    ema = scalar(lambda p: EMAMomentum(p, lr=0.3, momentum=0.9), 1.5, lambda w: w**2).run(30)
    ball = scalar(lambda p: HeavyBall(p, lr=0.03, momentum=0.9), 1.5, lambda w: w**2).run(30)
    sgd = scalar(lambda p: torch.optim.SGD(p, lr=0.03, momentum=0.9), 1.5, lambda w: w**2).run(30)
    assert ema == pytest.approx(ball, rel=1e-12, abs=1e-14)
    assert ema == pytest.approx(sgd, rel=1e-12, abs=1e-14)


def test_rate_under_a_constant_gradient_is_lr(scalar):
    path = scalar(lambda p: EMAMomentum(p, lr=0.1, momentum=0.5), 0.0, lambda w: w).run(60)
    assert path[-1] - path[-2] == pytest.approx(-0.1)


def test_refuses_momentum():
    with pytest.raises(InvalidValue, match=r"EMAMomentum: momentum must be in \[0, 1\), got 1\.5"):
        EMAMomentum([torch.zeros(1)], momentum=1.5)
