"""PyTorch's Adam before the switch, PyTorch's SGD with momentum after it."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.optim import AdamThenSGD


def objective(w):
    return torch.cos(w) + 0.1 * w**2


def test_both_halves_follow_pytorch(scalar):
    ours = scalar(lambda p: AdamThenSGD(p, lr=0.02, sgd_factor=3), 2.0, objective)
    first = ours.run(10)
    assert ours.optimizer.phase == "adam"
    adam = scalar(lambda p: torch.optim.Adam(p, lr=0.02), 2.0, objective)
    assert first == pytest.approx(adam.run(10), rel=1e-12)
    ours.optimizer.switch()
    assert ours.optimizer.phase == "sgd"
    sgd = scalar(lambda p: torch.optim.SGD(p, lr=0.06, momentum=0.9), first[-1], objective)
    assert ours.run(10) == pytest.approx(sgd.run(10), rel=1e-12)


def test_three_steps_by_hand(scalar):
    """h = 2w²: the first Adam step is η, then the ball: v = −0.2 · 4w, v = v/2 − 0.2 · 4w."""
    run = scalar(
        lambda p: AdamThenSGD(p, lr=0.1, sgd_factor=2, momentum=0.5), 1.0, lambda w: 2 * w**2
    )
    (one,) = run.run(1)
    run.optimizer.switch()
    velocity = -0.2 * 4 * one
    two = one + velocity
    three = two + 0.5 * velocity - 0.2 * 4 * two
    assert one == pytest.approx(0.9, abs=1e-8)
    assert run.run(2) == pytest.approx([two, three], rel=1e-12)


def test_a_second_switch_keeps_the_velocity(scalar):
    run = scalar(AdamThenSGD, 1.0, objective)
    run.optimizer.switch()
    run.run(2)
    velocity = run.optimizer.state[run.w]["velocity"].clone()
    run.optimizer.switch()
    assert torch.equal(run.optimizer.state[run.w]["velocity"], velocity)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sgd_factor": 0.0}, "AdamThenSGD: sgd_factor must be more than 0, got 0.0"),
        ({"momentum": 1.0}, r"AdamThenSGD: momentum must be in \[0, 1\)"),
        ({"betas": (2.0, 0.9)}, "AdamThenSGD: betas must be"),
        ({"eps": 0.0}, "AdamThenSGD: eps must be more than 0"),
    ],
)
def test_refuses(settings, message):
    with pytest.raises(InvalidValue, match=message):
        AdamThenSGD([torch.zeros(1)], **settings)
