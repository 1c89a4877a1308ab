"""Balls hold what they return, in exact arithmetic."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradatim.robust.balls import add_towards, make_ball

floats = st.floats(-1e3, 1e3, width=32, allow_subnormal=False)


def exact_size(z, x, p):
    """Norm of the difference of the stored numbers, as a fraction, squared for p = 2."""
    gaps = [abs(Fraction(a) - Fraction(b)) for a, b in zip(z.tolist(), x.tolist(), strict=True)]
    return max(gaps) if p == math.inf else sum(gap**2 for gap in gaps)


@given(x=floats, delta=floats)
def test_sums_are_rounded_towards_the_first_term(x, delta):
    total = add_towards(torch.tensor([x]), torch.tensor([delta])).item()
    exact = Fraction(x) + Fraction(delta)
    assert abs(Fraction(total) - Fraction(x)) <= abs(Fraction(delta))
    spacing = Fraction(float(np.spacing(np.float32(max(abs(total), abs(x))))))
    assert abs(Fraction(total) - exact) < 2 * spacing


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("p", [2.0, math.inf])
@settings(max_examples=60, deadline=None)
@example(x=[0.0, 0.0], far=1e-200, eps=0.0, seed=0)  # its square is lost
@example(x=[0.0, 0.0], far=1e-160, eps=1e-161, seed=0)
@given(
    x=st.lists(floats, min_size=1, max_size=5),
    far=st.floats(0, 1e4),
    eps=st.floats(0, 100),
    seed=st.integers(0, 99),
)
def test_no_point_is_outside_not_even_by_rounding(dtype, p, x, far, eps, seed):
    x = torch.tensor([x], dtype=dtype)
    generator = torch.Generator().manual_seed(seed)
    noise = far * torch.randn(x.shape, dtype=dtype, generator=generator)
    ball = make_ball(x, eps, p, (-1e3, 1e3))
    limit = Fraction(eps) if p == math.inf else Fraction(eps) ** 2
    for z in (ball.project(x + noise), ball.random(generator)):
        assert exact_size(z[0], x[0], p) <= limit
        assert z.abs().max() <= 1e3


@pytest.mark.parametrize("p", [2.0, math.inf])
def test_projection_is_the_nearest_point(p):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 3, dtype=torch.float64, generator=generator)
    far = x + torch.tensor([[3.0, -2.0, 0.1]], dtype=torch.float64)
    nearest = make_ball(x, 0.5, p, None).project(far)
    inside = torch.randn(20_000, 3, dtype=torch.float64, generator=generator)
    inside = x + 0.5 * inside / torch.linalg.vector_norm(inside, ord=p, dim=1, keepdim=True)
    assert (inside - far).norm(dim=1).min() >= (nearest - far).norm() * (1 - 1e-9)
    within = x + 0.1
    torch.testing.assert_close(make_ball(x, 0.5, p, None).project(within), within)


@pytest.mark.parametrize("p", [2.0, math.inf])
def test_random_points_fill_the_ball_evenly(p):
    """Uniform in a ball of dimension d, the size to the power d is uniform in [0, 1]."""
    x = torch.zeros(4000, 3)
    z = make_ball(x, 2.0, p, None).random(torch.Generator().manual_seed(0))
    share = (torch.linalg.vector_norm(z, ord=p, dim=1) / 2) ** 3
    quantiles = share.quantile(torch.tensor([0.25, 0.5, 0.75]))
    torch.testing.assert_close(quantiles, torch.tensor([0.25, 0.5, 0.75]), atol=0.03, rtol=0)
    assert z.mean(0).abs().max() < 0.06


@pytest.mark.parametrize("p", [2.0, math.inf])
def test_a_generator_of_ones_own_leaves_the_global_one_alone(p):
    before = torch.get_rng_state()
    make_ball(torch.zeros(3, 2), 1.0, p, None).random(torch.Generator().manual_seed(0))
    assert torch.equal(torch.get_rng_state(), before)
