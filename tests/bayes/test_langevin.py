"""Underdamped Langevin dynamics, SGLD and SGHMC: at temperature 0 known optimizers, at 1 known variances."""

import math

import pytest
import torch
from torch import nn

from gradatim.bayes import langevin, sghmc, sgld
from gradatim.errors import InvalidValue
from gradatim.optim import HeavyBall, Langevin

CURVES = torch.tensor([1.0, 5.0, 0.3]).double()


def banana(x):
    return -x[:, 0].square() / 2 - 2 * (x[:, 1] - x[:, 0].square()).square() - x[:, 2].square()


def descend(make, steps, start):
    """Positions of an optimizer of PyTorch that minimizes −log p."""
    w = nn.Parameter(start.clone())
    optimizer, found = make([w]), []
    for _ in range(steps):
        optimizer.zero_grad()
        (-banana(w).sum()).backward()
        optimizer.step()
        found.append(w.detach().clone())
    return torch.stack(found)


def walk(module, steps, state, **settings):
    found = []
    for _ in range(steps):
        state, _ = module.step(banana, state, **settings)
        found.append(state.position)
    return torch.stack(found)


START = torch.tensor([[0.5, -0.4, 1.0], [-1.0, 0.2, 0.3]]).double()


@pytest.mark.parametrize(("step_size", "friction"), [(0.1, 1.0), (0.2, 3.0), (0.05, 0.0)])
def test_underdamped_langevin_at_temperature_0_is_the_heavy_ball(step_size, friction):
    """Momentum e^{−γε} and rate ε²(1 + e^{−γε})/2; the ball's first move is a whole push, so give half of it before."""
    keep = math.exp(-friction * step_size)
    state = langevin.init(banana, START)
    state = state._replace(momentum=step_size / 2 * state.gradient)
    found = walk(langevin, 40, state, step_size=step_size, friction=friction, temperature=0.0)
    lr = step_size**2 * (1 + keep) / 2
    if keep < 1:
        expected = descend(lambda p: HeavyBall(p, lr=lr, momentum=keep), 40, START)
    else:  # a momentum that the optimizer refuses, by hand
        x, last, expected = START, START, []
        for _ in range(40):
            gradient = langevin.init(banana, x).gradient
            x, last = x + lr * gradient + (x - last), x
            expected.append(x)
        expected = torch.stack(expected)
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


def test_sghmc_at_temperature_0_is_the_heavy_ball():
    found = walk(sghmc, 40, sghmc.init(banana, START), lr=0.01, momentum=0.8, temperature=0.0)
    expected = descend(lambda p: HeavyBall(p, lr=0.01, momentum=0.8), 40, START)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)


def test_sgld_is_the_optimizer_langevin():
    """Loss −log p/N at temperature 1/N and rate Nη: the same draws from equal generators."""
    N, lr = 50, 0.01
    own = walk(sgld, 10, sgld.init(banana, START), lr=lr, generator=torch.Generator().manual_seed(2))  # fmt: skip
    w = nn.Parameter(START.clone())
    optimizer = Langevin([w], lr=N * lr, temperature=1 / N, generator=torch.Generator().manual_seed(2))  # fmt: skip
    for expected in own:
        optimizer.zero_grad()
        (-banana(w).sum() / N).backward()
        optimizer.step()
        torch.testing.assert_close(w.detach(), expected, rtol=1e-10, atol=1e-10)


def test_sghmc_without_momentum_is_sgld():
    first = walk(sghmc, 5, sghmc.init(banana, START), lr=0.01, momentum=0.0, generator=torch.Generator().manual_seed(1))  # fmt: skip
    second = walk(sgld, 5, sgld.init(banana, START), lr=0.01, generator=torch.Generator().manual_seed(1))  # fmt: skip
    torch.testing.assert_close(first, second)


def gaussian(x):
    return -(CURVES * x.square()).sum(1) / 2


def settle(module, steps, **settings):
    g = torch.Generator().manual_seed(0)
    state = module.init(gaussian, torch.randn(20_000, 3, generator=g).double() / CURVES.sqrt())
    for _ in range(steps):
        state, info = module.step(gaussian, state, generator=g, **settings)
    return state, info


@pytest.mark.parametrize("temperature", [1.0, 0.25])
@pytest.mark.parametrize("mass", [None, "diagonal"])
def test_underdamped_langevin_has_no_error_on_gaussians(temperature, mass):
    """At a step of 0.8, four tenths of the stable 2/ω, the variance is still T/λ, and that of the momenta M T nearly."""
    inverse_mass = None if mass is None else CURVES.reciprocal()
    state, _ = settle(langevin, 80, step_size=0.8, temperature=temperature, friction=1.5, inverse_mass=inverse_mass)  # fmt: skip
    found = state.position.var(0) * CURVES / temperature
    torch.testing.assert_close(found, torch.ones(3).double(), rtol=0, atol=4 * math.sqrt(2 / 20_000))  # fmt: skip


def test_sgld_is_off_by_the_known_factor():
    """v = (1 − ηλ)² v + 2η gives v = 1/(λ(1 − ηλ/2))."""
    state, info = settle(sgld, 60, lr=0.2)
    expected = 1 / (CURVES * (1 - 0.2 * CURVES / 2))
    torch.testing.assert_close(state.position.var(0) / expected, torch.ones(3).double(), rtol=0, atol=0.045)  # fmt: skip
    assert info.gradient_norm.shape == (20_000,)


def test_sghmc_is_off_by_the_known_factor():
    """The stationary covariance of position and velocity, from its linear recursion."""
    lr, momentum = 0.05, 0.7
    state, _ = settle(sghmc, 120, lr=lr, momentum=momentum)
    for k, curve in enumerate(CURVES.tolist()):
        A = torch.tensor([[1 - lr * curve, momentum], [-lr * curve, momentum]]).double()
        noise = 2 * (1 - momentum) * lr * torch.ones(2, 2).double()
        full = torch.eye(4).double() - torch.kron(A, A)
        variance = torch.linalg.solve(full, noise.flatten())[0]
        assert float(state.position[:, k].var() / variance) == pytest.approx(1, abs=0.045)


def test_batches_are_averaged():
    """Half of the rows at a time, their likelihood doubled, gives the posterior of all rows."""
    g = torch.Generator().manual_seed(0)
    y = torch.randn(20, generator=g).double() + 1
    precision = 1 + len(y)
    state, seen = sgld.init(gaussian_of(y, 1), torch.zeros(5000, 1).double()), []
    for t in range(400):
        batch = y[torch.randperm(20, generator=g)[:10]]
        state, _ = sgld.step(gaussian_of(batch, 2), state, lr=0.002, generator=g)
        if t >= 200:
            seen.append(state.position[:, 0])
    mean = torch.stack(seen).mean()
    assert float(mean) == pytest.approx(float(y.sum()) / precision, abs=0.02)


def gaussian_of(rows, scale):
    def log_density(x):
        return -x[:, 0].square() / 2 - scale * (rows - x).square().sum(1) / 2

    return log_density


@pytest.mark.parametrize(
    ("module", "settings", "message"),
    [
        (langevin, {"step_size": 0.0}, "langevin: step_size must be more than 0, got 0.0"),
        (langevin, {"step_size": 0.1, "friction": -1}, "langevin: friction must be at least 0, got -1"),
        (langevin, {"step_size": 0.1, "temperature": -1}, "langevin: temperature must be at least 0, got -1"),
        (sgld, {"lr": 0.0}, "sgld: lr must be more than 0, got 0.0. Try lr=1e-3."),
        (sgld, {"lr": 0.1, "temperature": -1}, "sgld: temperature must be at least 0"),
        (sghmc, {"lr": 0.0}, "sghmc: lr must be more than 0"),
        (sghmc, {"lr": 0.1, "momentum": 1.0}, r"sghmc: momentum must be in \[0, 1\), got 1.0"),
        (sghmc, {"lr": 0.1, "temperature": -1}, "sghmc: temperature must be at least 0"),
    ],
)  # fmt: skip
def test_bad_settings_are_refused(module, settings, message):
    with pytest.raises(InvalidValue, match=message):
        module.step(banana, module.init(banana, START), **settings)


@pytest.mark.parametrize("module", [langevin, sgld, sghmc])
def test_a_bad_start_is_refused(module):
    with pytest.raises(InvalidValue, match="got -inf in chain 1 of 1"):
        module.init(lambda x: x[:, 0].log(), [[0.0]])
