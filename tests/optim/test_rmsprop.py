"""RMSProp by hand in both forms, and PyTorch's trajectory."""

import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.optim import RMSProp


@pytest.mark.parametrize("eps_inside", [False, True])
def test_three_steps_by_hand(scalar, eps_inside):
    """h = 2w², g = 4w, ρ = 0.9, a large ε so that its place matters."""
    s, w, expected = 0.0, 1.0, []
    for _ in range(3):
        g = 4 * w
        s = 0.9 * s + 0.1 * g * g
        w -= 0.1 * g / (math.sqrt(s + 0.5) if eps_inside else math.sqrt(s) + 0.5)
        expected.append(w)

    def build(p):
        return RMSProp(p, lr=0.1, eps=0.5, eps_inside=eps_inside)

    assert scalar(build, 1.0, lambda w: 2 * w**2).run(3) == pytest.approx(expected, rel=1e-14)


def test_equals_pytorch_with_eps_outside(scalar):
    def objective(w):
        return torch.cos(w) + 0.1 * w**2

    ours = scalar(lambda p: RMSProp(p, lr=0.02, rho=0.95, weight_decay=0.1), 2.0, objective)
    theirs = scalar(
        lambda p: torch.optim.RMSprop(p, lr=0.02, alpha=0.95, weight_decay=0.1), 2.0, objective
    )
    assert ours.run(40) == pytest.approx(theirs.run(40), rel=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rho": 1.0}, r"RMSProp: rho must be in \[0, 1\), got 1\.0\. Try rho=0\.9\."),
        ({"eps": 0.0}, r"RMSProp: eps must be more than 0, got 0\.0\. Try eps=1e-08\."),
    ],
)
def test_refuses(settings, message):
    with pytest.raises(InvalidValue, match=message):
        RMSProp([torch.zeros(1)], **settings)
