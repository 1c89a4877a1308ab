import math
from itertools import pairwise

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.bayes import leapfrog
from gradatim.bayes.mass import check_mass, draw_momentum, kinetic_energy, velocity
from gradatim.errors import InvalidValue

SPREAD = torch.tensor([[2.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]], dtype=torch.float64)
MASSES = {"identity": None, "diagonal": SPREAD.diagonal().clone(), "dense": SPREAD}


def quartic(x):
    """No closed form, and every coordinate feels the others."""
    return -(x.square().sum(1) + 0.2 * (x[:, 0] * x[:, 1]) ** 2 + 0.1 * x[:, 2] ** 4)


def force(x):
    """Its gradient at one point, by hand."""
    a, b, c = x
    return -torch.stack([2 * a + 0.4 * a * b * b, 2 * b + 0.4 * a * a * b, 2 * c + 0.4 * c**3])


def phase(seed, rows=2):
    g = torch.Generator().manual_seed(seed)
    return (
        torch.randn(rows, 3, dtype=torch.float64, generator=g),
        torch.randn(rows, 3, dtype=torch.float64, generator=g),
    )


def energy(position, momentum, inverse_mass):
    return kinetic_energy(inverse_mass, momentum) - quartic(position)


@pytest.mark.parametrize("mass", MASSES)
def test_it_is_the_formula_step_by_step(mass):
    position, momentum = phase(0)
    M_inverse = {"identity": torch.eye(3).double(), "diagonal": SPREAD.diagonal().diag(), "dense": SPREAD}[mass]  # fmt: skip
    for row in range(2):
        x, v = position[row], momentum[row]
        for _ in range(7):
            v = v + 0.05 * force(x)
            x = x + 0.1 * M_inverse @ v
            v = v + 0.05 * force(x)
        found = leapfrog(
            quartic, position, momentum, step_size=0.1, num_steps=7, inverse_mass=MASSES[mass]
        )
        torch.testing.assert_close(found.position[row], x, rtol=0, atol=1e-13)
        torch.testing.assert_close(found.momentum[row], v, rtol=0, atol=1e-13)


@given(st.integers(0, 1000), st.floats(0.01, 0.2), st.integers(1, 30), st.sampled_from(list(MASSES)))  # fmt: skip
def test_turned_around_it_comes_back(seed, step_size, steps, mass):
    start = phase(seed)
    settings = {"step_size": step_size, "num_steps": steps, "inverse_mass": MASSES[mass]}
    there = leapfrog(quartic, *start, **settings)
    back = leapfrog(quartic, there.position, -there.momentum, **settings)
    torch.testing.assert_close(back.position, start[0], rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(-back.momentum, start[1], rtol=1e-9, atol=1e-9)
    again = leapfrog(quartic, *there, **(settings | {"step_size": -step_size}))
    torch.testing.assert_close(again.position, start[0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("mass", MASSES)
def test_it_keeps_volumes(mass):
    """The determinant of its Jacobian, by central differences, is 1."""
    point = torch.cat(phase(1, rows=1), 1)[0]  # (6,)
    shifts = 1e-5 * torch.cat([torch.eye(6), -torch.eye(6)]).double()
    ends = leapfrog(quartic, *(point + shifts).split(3, 1), step_size=0.2, num_steps=9, inverse_mass=MASSES[mass])  # fmt: skip
    plus, minus = torch.cat(ends, 1).chunk(2)
    determinant = torch.linalg.det((plus - minus).T / 2e-5)
    assert float(determinant) == pytest.approx(1.0, abs=1e-8)


def test_the_error_of_the_energy_is_of_order_two():
    start = phase(2, rows=8)
    before = energy(*start, SPREAD)
    errors = []
    for steps in (20, 40, 80):
        end = leapfrog(quartic, *start, step_size=1 / steps, num_steps=steps, inverse_mass=SPREAD)
        errors.append(float((energy(*end, SPREAD) - before).abs().max()))
    assert [math.log2(a / b) for a, b in pairwise(errors)] == pytest.approx([2, 2], abs=0.15)  # fmt: skip


def test_an_oscillator_keeps_its_shadow_energy():
    """On x²/2 the leapfrog keeps v²/2 + (1 − ε²/4) x²/2 exactly, however long it runs."""
    x, v = torch.tensor([[1.0]]).double(), torch.tensor([[0.3]]).double()
    end = leapfrog(lambda x: -x.square().sum(1) / 2, x, v, step_size=1.5, num_steps=1001)

    def shadow(x, v):
        return float(v**2 + (1 - 1.5**2 / 4) * x**2)

    assert shadow(*end) == pytest.approx(shadow(x, v), rel=1e-11)


@pytest.mark.parametrize("mass", MASSES)
def test_momenta_have_the_mass_as_covariance(mass):
    like, g = torch.zeros(200_000, 3).double(), torch.Generator().manual_seed(0)
    drawn = draw_momentum(MASSES[mass], like, g)
    expected = {"identity": torch.eye(3).double(), "diagonal": SPREAD.diagonal().reciprocal().diag(), "dense": torch.linalg.inv(SPREAD)}[mass]  # fmt: skip
    torch.testing.assert_close(torch.cov(drawn.T), expected, rtol=0, atol=0.02)
    by_hand = 0.5 * torch.einsum("ni,ij,nj->n", drawn[:5], torch.linalg.inv(expected), drawn[:5])
    torch.testing.assert_close(kinetic_energy(MASSES[mass], drawn[:5]), by_hand)
    torch.testing.assert_close(
        velocity(MASSES[mass], drawn[:5]), drawn[:5] @ torch.linalg.inv(expected)
    )


def test_an_infinite_force_counts_as_none():
    """Outside a box the density is 0: the ball flies on, and no number is lost."""

    def box(x):
        return torch.where(x.abs() < 1, -x.sqrt(), -torch.inf).sum(1)  # NaN below 0

    end = leapfrog(box, [[0.5]], [[-9.0]], step_size=0.1, num_steps=20)
    assert all(torch.isfinite(part).all() for part in end)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"step_size": 0}, "step_size must be finite and not 0, got 0. Try step_size=0.1."),
        ({"step_size": float("nan")}, "step_size must be finite and not 0, got nan."),
        ({"num_steps": 0}, "num_steps must be a whole number from 1, got 0."),
        ({"momentum": torch.zeros(3, 1)}, r"must both have shape \(chains, d\), got \(2, 1\) and \(3, 1\)"),
        ({"inverse_mass": torch.ones(2)}, r"inverse_mass must have shape \(1,\) or \(1, 1\), got \(2,\)"),
        ({"log_density": lambda x: -x.square()}, r"log_density: it must map 2 rows to as many numbers, got shape \(2, 1\)"),
        ({"log_density": lambda x: torch.zeros(len(x))}, "must depend on its argument"),
    ],
)  # fmt: skip
def test_what_it_refuses(changes, message):
    arguments = {
        "log_density": lambda x: -x.square().sum(1),
        "position": torch.zeros(2, 1),
        "momentum": torch.zeros(2, 1),
        "step_size": 0.1,
        "num_steps": 1,
    } | changes
    with pytest.raises((InvalidValue, TypeError), match=message):
        leapfrog(**arguments)


def test_a_mass_of_another_size_is_refused():
    with pytest.raises(InvalidValue, match="nuts: inverse_mass must have shape"):
        check_mass("nuts", torch.ones(3, 2), torch.zeros(4, 3))
