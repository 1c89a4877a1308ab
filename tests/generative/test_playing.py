"""On the game of θ·φ every order of moves is a linear map, whose eigenvalues are known."""

import math

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.generative.playing import PLAYS, Player, choose_play


def play_bilinear(play, steps, lr):
    theta, phi = (torch.tensor(1.0, dtype=torch.float64, requires_grad=True) for _ in range(2))

    def gradient(own, other, sign):
        def leave():
            own.grad = sign * other.detach().clone()

        return leave

    players = [
        Player(torch.optim.SGD([own], lr=lr), gradient(own, other, sign))
        for own, other, sign in ((theta, phi, 1), (phi, theta, -1))
    ]
    radii = []
    for _ in range(steps):
        play(*players)
        radii.append(math.hypot(theta.item(), phi.item()))
    return radii, (theta.item(), phi.item())


def test_simultaneous_spirals_out_at_the_rate_of_theory():
    radii, _ = play_bilinear(PLAYS["simultaneous"], 50, 0.1)
    assert radii[-1] / radii[-2] == pytest.approx(math.sqrt(1 + 0.1**2))


def test_extragradient_spirals_in_at_the_rate_of_theory():
    radii, _ = play_bilinear(PLAYS["extragradient"], 50, 0.1)
    assert radii[-1] / radii[-2] == pytest.approx(math.sqrt(1 - 0.1**2 + 0.1**4))


def test_alternating_stays_on_an_ellipse():
    lr = 0.1
    theta, phi = 1.0, 1.0
    radii, end = play_bilinear(PLAYS["alternating"], 500, lr)
    for _ in range(500):
        phi = phi + lr * theta
        theta = theta - lr * phi
    assert end == pytest.approx((theta, phi))
    assert theta**2 + phi**2 + lr * theta * phi == pytest.approx(2 + lr)
    assert 0.9 * math.sqrt(2) < min(radii) <= max(radii) < 1.1 * math.sqrt(2)


def test_looking_ahead_alone_gains_nothing():
    one_sided = play_bilinear(PLAYS["one-sided-extragradient"], 30, 0.2)
    assert one_sided[0] == pytest.approx(play_bilinear(PLAYS["simultaneous"], 30, 0.2)[0])


def test_one_sided_looks_from_its_own_half_step_and_the_others_start():
    """On θ²/2 + θφ the first player's gradient depends on where it stands itself."""
    theta, phi = (torch.tensor(v, requires_grad=True) for v in (1.0, 2.0))

    def first():
        theta.grad = (theta + phi).detach().clone()

    def second():
        phi.grad = -theta.detach().clone()

    players = Player(torch.optim.SGD([theta], lr=0.1), first), Player(torch.optim.SGD([phi], lr=0.1), second)  # fmt: skip
    PLAYS["one-sided-extragradient"](*players)
    half = 1.0 - 0.1 * 3.0
    assert theta.item() == pytest.approx(1.0 - 0.1 * (half + 2.0))
    assert phi.item() == pytest.approx(2.0 + 0.1 * 1.0)


def test_unknown_orders_are_refused():
    with pytest.raises(GradatimError, match=r"play must be one of .* Try 'alternating'"):
        choose_play("alternate")
