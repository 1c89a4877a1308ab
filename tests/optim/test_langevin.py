"""Noise of the right size, and the stationary variance of a quadratic, which is known exactly."""

import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.optim import Langevin
from gradatim.randomness import seeded


def test_three_steps_by_hand(scalar):
    """h = 2w², g = 4w, with the noise drawn beforehand from an equal generator."""
    noise = torch.Generator().manual_seed(3)
    w, expected = 1.0, []
    for _ in range(3):
        xi = torch.randn(1, generator=noise, dtype=torch.float64).item()
        w = w - 0.1 * 4 * w + math.sqrt(2 * 0.1 * 0.5) * xi
        expected.append(w)

    def build(p):
        return Langevin(p, lr=0.1, temperature=0.5, generator=torch.Generator().manual_seed(3))

    assert scalar(build, 1.0, lambda w: 2 * w**2).run(3) == pytest.approx(expected, rel=1e-14)


def test_no_temperature_is_gradient_descent(scalar):
    cold = scalar(lambda p: Langevin(p, lr=0.1, temperature=0.0), 1.0, lambda w: 2 * w**2)
    assert cold.run(3) == pytest.approx([0.6, 0.36, 0.216])


@pytest.mark.parametrize(("curvature", "lr"), [(1.0, 0.1), (2.0, 0.5)])
def test_stationary_variance_of_a_quadratic(curvature, lr):
    """v = (1 − ηa)² v + 2ηT gives v = T / (a (1 − ηa/2)): T/a in the limit of small steps."""
    temperature = 0.3
    w = torch.zeros(40_000, requires_grad=True)
    noise = torch.Generator().manual_seed(0)
    optimizer = Langevin([w], lr=lr, temperature=temperature, generator=noise)
    for _ in range(80):
        w.grad = curvature * w.detach()
        optimizer.step()
    expected = temperature / (curvature * (1 - lr * curvature / 2))
    assert w.var().item() == pytest.approx(expected, rel=0.03)
    assert abs(w.mean().item()) < 0.02


def test_the_global_generator_serves_by_default():
    ends = []
    for _ in range(2):
        with seeded(5):
            w = torch.zeros(3, requires_grad=True)
            w.grad = torch.zeros(3)
            Langevin([w], lr=0.1, temperature=1.0).step()
            ends.append(w.detach().clone())
    assert torch.equal(*ends)
    assert ends[0].abs().min() > 0


def test_refuses_temperature():
    with pytest.raises(InvalidValue, match=r"Langevin: temperature must be at least 0, got -1"):
        Langevin([torch.zeros(1)], temperature=-1)
