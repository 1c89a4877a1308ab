"""The walk by hand, its limits, and its liking for wide valleys."""

import math

import pytest
import torch

from gradatim.errors import InvalidType, InvalidValue
from gradatim.optim import EntropySGD


def test_three_steps_by_hand(scalar):
    """h = 2w², g = 4w, walks of two, γ that grows by half a step, with noise from an equal generator."""
    source = torch.Generator().manual_seed(1)
    x, gamma, expected = 1.0, 0.4, []
    for _ in range(3):
        walker = mean = x
        for _ in range(2):
            xi = torch.randn(1, generator=source, dtype=torch.float64).item()
            slope = 4 * walker + gamma * (walker - x)
            walker = walker - 0.1 * slope + math.sqrt(0.1) * 0.2 * xi
            mean = 0.3 * mean + 0.7 * walker
        x, gamma = x - 0.8 * (x - mean), gamma * 1.5
        expected.append(x)

    def build(p):
        return EntropySGD(
            p,
            lr=0.1,
            inner_steps=2,
            gamma=0.4,
            scoping=0.5,
            noise=0.2,
            averaging=0.7,
            pull=0.8,
            generator=torch.Generator().manual_seed(1),
        )

    assert scalar(build, 1.0, lambda w: 2 * w**2).run(3) == pytest.approx(expected, rel=1e-13)


def test_a_walk_of_one_without_noise_is_gradient_descent(scalar):
    def build(p):
        return EntropySGD(p, lr=0.1, inner_steps=1, noise=0.0, averaging=1.0)

    assert scalar(build, 1.0, lambda w: 2 * w**2).run(3) == pytest.approx([0.6, 0.36, 0.216])


def test_a_long_walk_finds_the_mean_of_the_tied_density(scalar):
    """For h = 2w² the density e^{−h(x') − γ/2 (x − x')²} has its mean at γx / (4 + γ)."""

    def build(p):
        return EntropySGD(p, lr=0.1, inner_steps=300, gamma=1.0, noise=0.0)

    assert scalar(build, 1.0, lambda w: 2 * w**2).run(1) == pytest.approx([1 / 5])


def test_leaves_a_sharp_valley_for_the_wide_one_beside_it():
    """A pit narrower than the walk holds descent, not Entropy-SGD."""

    def objective(w):
        return 0.5 * w**2 - 0.15 * torch.exp(-0.5 * ((w - 1.0) / 0.03) ** 2)

    ends = {}
    for name, noise in (("descent", 0.0), ("walk", 0.5)):
        w = torch.full((200,), 1.0, dtype=torch.float64, requires_grad=True)
        source = torch.Generator().manual_seed(0)
        optimizer = EntropySGD(
            [w], lr=0.004, inner_steps=20, gamma=0.03, noise=noise, generator=source
        )

        def closure(w=w, optimizer=optimizer):
            optimizer.zero_grad()
            loss = objective(w).sum()
            loss.backward()
            return loss

        for _ in range(60):
            optimizer.step(closure)
        ends[name] = w.detach().abs().median().item()
    assert ends["descent"] > 0.9
    assert ends["walk"] < 0.5


def test_returns_the_loss_of_the_point(scalar):
    run = scalar(lambda p: EntropySGD(p), 1.0, lambda w: 2 * w**2)
    assert run.optimizer.step(run.closure).item() == 2.0


def test_needs_a_closure():
    with pytest.raises(InvalidType, match="EntropySGD: closure must be a function"):
        EntropySGD([torch.zeros(1, requires_grad=True)]).step()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"inner_steps": 0}, "EntropySGD: inner_steps must be a whole number from 1, got 0"),
        ({"gamma": -1.0}, "EntropySGD: gamma must be at least 0, got -1.0"),
        ({"scoping": -1.0}, "EntropySGD: scoping must be at least 0"),
        ({"noise": -1.0}, "EntropySGD: noise must be at least 0"),
        ({"averaging": 0.0}, r"EntropySGD: averaging must be in \(0, 1\], got 0"),
        ({"pull": 1.5}, r"EntropySGD: pull must be in \(0, 1\], got 1\.5"),
    ],
)
def test_refuses(settings, message):
    with pytest.raises(InvalidValue, match=message):
        EntropySGD([torch.zeros(1)], **settings)
