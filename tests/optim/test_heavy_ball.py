"""The ball's recursion, PyTorch's trajectory, and the limit step under a constant gradient."""

import itertools

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.optim import HeavyBall


def test_three_steps_by_hand(scalar):
    """h = 2w², g = 4w: θ_{t+1} = θ_t − 0.1 · 4θ_t + 0.5 (θ_t − θ_{t−1})."""
    one = 1 - 0.1 * 4 * 1
    two = one - 0.1 * 4 * one + 0.5 * (one - 1)
    three = two - 0.1 * 4 * two + 0.5 * (two - one)
    run = scalar(lambda p: HeavyBall(p, lr=0.1, momentum=0.5), 1.0, lambda w: 2 * w**2)
    assert run.run(3) == pytest.approx([one, two, three], rel=1e-15)
    assert three == pytest.approx(-0.124)


def test_equals_pytorch_at_a_constant_rate(scalar):
    def cosine_well(w):
        return torch.cos(w) + 0.1 * w**2

    ours = scalar(lambda p: HeavyBall(p, lr=0.05, weight_decay=0.01), 2.0, cosine_well)
    theirs = scalar(
        lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9, weight_decay=0.01), 2.0, cosine_well
    )
    assert ours.run(40) == pytest.approx(theirs.run(40), rel=1e-12)


def test_velocity_keeps_the_rate_it_was_gained_with(scalar):
    """Rates 0.1, then 0: heavy ball coasts by β times its last move, PyTorch's rule stands still."""

    def stop(optimizer, t):
        optimizer.param_groups[0]["lr"] = 0.1 if t == 0 else 0.0

    ours = scalar(lambda p: HeavyBall(p, momentum=0.5), 1.0, lambda w: w).run(2, stop)
    theirs = scalar(lambda p: torch.optim.SGD(p, momentum=0.5), 1.0, lambda w: w).run(2, stop)
    assert ours == pytest.approx([0.9, 0.85])
    assert theirs == pytest.approx([0.9, 0.9])


def test_step_grows_by_a_geometric_series_under_a_constant_gradient(scalar):
    path = [0.0, *scalar(lambda p: HeavyBall(p, lr=0.1, momentum=0.8), 0.0, lambda w: w).run(60)]
    moves = [b - a for a, b in itertools.pairwise(path)]
    assert moves[3] == pytest.approx(-0.1 * (1 + 0.8 + 0.8**2 + 0.8**3))
    assert moves[-1] == pytest.approx(-0.1 / (1 - 0.8), rel=1e-5)


@pytest.mark.parametrize("momentum", [1.0, -0.1, float("nan")])
def test_refuses_momentum(momentum):
    with pytest.raises(InvalidValue, match=r"HeavyBall: momentum must be in \[0, 1\), got"):
        HeavyBall([torch.zeros(1)], momentum=momentum)
