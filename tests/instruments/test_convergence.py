"""Promises of theory on functions whose every constant is known."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.instruments import (
    descend,
    network_objective,
    pl_bound,
    pl_constant,
    smoothness,
    steps_to_critical_point,
    sufficient_decrease,
)
from gradatim.losses import mse
from gradatim.models import MLP
from gradatim.randomness import seeded

CURVATURES = torch.tensor([0.5, 2.0, 4.0], dtype=torch.float64)
START = torch.tensor([3.0, -1.0, 2.0], dtype=torch.float64)


def quadratic(w):
    return (CURVATURES * w**2).sum() / 2


def test_descent_on_a_quadratic_is_a_power():
    """Each coordinate is multiplied by 1 − ηa."""
    path = descend(quadratic, START, lr=0.2, steps=9)
    for t, point in enumerate(path.points):
        torch.testing.assert_close(point, (1 - 0.2 * CURVATURES) ** t * START)
        assert path.values[t].item() == pytest.approx(quadratic(point).item())
        assert path.gradient_norms[t].item() == pytest.approx((CURVATURES * point).norm().item())


@settings(max_examples=40, deadline=None)
@given(lr=st.floats(0.01, 0.6), w=st.lists(st.floats(-5, 5), min_size=3, max_size=3))
def test_decrease_is_at_least_what_smoothness_guarantees(lr, w):
    point = torch.tensor(w, dtype=torch.float64)
    found = sufficient_decrease(quadratic, point, lr=lr, smoothness=4.0)
    gradient = CURVATURES * point
    exact = lr * gradient.square().sum() - lr**2 / 2 * (CURVATURES * gradient**2).sum()
    assert found.measured == pytest.approx(exact.item(), abs=1e-9)
    assert found.guaranteed == pytest.approx(
        lr * (1 - lr * 4 / 2) * gradient.square().sum().item(), abs=1e-12
    )
    assert found.measured >= found.guaranteed - 1e-9


def test_decrease_is_exact_along_the_steepest_direction():
    """There the curvature is L itself, so nothing is given away."""
    point = torch.tensor([0.0, 0.0, 1.0], dtype=torch.float64)
    found = sufficient_decrease(quadratic, point, lr=0.25, smoothness=4.0)
    assert found.measured == pytest.approx(found.guaranteed)
    assert found.guaranteed == pytest.approx(16 / (2 * 4))


def test_decrease_of_a_network_leaves_it_alone():
    with seeded(0):
        model = MLP((2, 5, 1), activation="tanh").double()
        X, y = torch.randn(20, 2).double(), torch.randn(20, 1).double()
    h, theta = network_objective(model, mse, X, y)
    L = smoothness(h, theta).value
    copy = theta.clone()
    found = sufficient_decrease(h, theta, lr=0.1 / L, smoothness=L)
    assert torch.equal(theta, copy)
    # so short a step sees hardly any change of curvature
    assert found.measured >= 0.99 * found.guaranteed > 0


@pytest.mark.parametrize("eps", [1.0, 0.1])
def test_critical_point_is_met_in_time(eps):
    """On the quadratic and on a bumpy function with known L = 1 + 0.9 = 1.9."""

    def bumps(w):
        return (w**2).sum() / 2 + 0.9 * (1 - torch.cos(w)).sum()

    for function, L in ((quadratic, 4.0), (bumps, 1.9)):
        steps = steps_to_critical_point(smoothness=L, gap=function(START).item(), eps=eps)
        path = descend(function, START, lr=1 / L, steps=min(steps, 300))
        assert path.gradient_norms[:steps].min() <= eps
    assert steps_to_critical_point(smoothness=4.0, gap=3.0, eps=0.5) == 96


def test_pl_rate_holds_on_a_quadratic_and_is_met_by_the_slowest_direction():
    path = descend(quadratic, START, lr=1 / 4, steps=60)
    bound = pl_bound(gap=path.values[0].item(), mu=0.5, smoothness=4.0, steps=60)
    assert (path.values <= bound * (1 + 1e-12)).all()
    slow = descend(quadratic, torch.tensor([1.0, 0, 0]).double(), lr=1 / 4, steps=10)
    ratio = slow.values[1:] / slow.values[:-1]
    torch.testing.assert_close(ratio, torch.full_like(ratio, (1 - 0.5 / 4) ** 2))


def test_pl_constant_is_between_the_curvatures():
    """½‖∇‖² / h = Σa²w² / Σaw², a mean of the curvatures that ends at the lowest."""
    path = descend(quadratic, START, lr=1 / 4, steps=100)
    assert pl_constant(path) == pytest.approx(0.5, rel=1e-6)
    steep = descend(quadratic, torch.tensor([0, 0, 1.0]).double(), lr=0.1, steps=5)
    assert pl_constant(steep) == pytest.approx(4.0)
    shifted = descend(lambda w: quadratic(w) + 7, START, lr=1 / 4, steps=5)
    assert pl_constant(shifted, minimum=7.0) >= 0.5


def test_pl_constant_at_the_minimum_is_unlimited():
    assert pl_constant(descend(quadratic, torch.zeros(3).double(), lr=0.1, steps=1)) == math.inf


@pytest.mark.parametrize(("lr", "converges"), [(0.49, True), (0.51, False)])
def test_two_over_l_is_the_edge(lr, converges):
    values = descend(quadratic, START, lr=lr, steps=400).values
    assert (values[-1] < 1e-3) == converges
    assert (values[-1] > 1e3) != converges


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: steps_to_critical_point(smoothness=-1, gap=1, eps=1),
            "smoothness must be at least 0",
        ),
        (lambda: steps_to_critical_point(smoothness=1, gap=-1, eps=1), "gap must be at least 0"),
        (lambda: steps_to_critical_point(smoothness=1, gap=1, eps=0), "eps must be more than 0"),
        (lambda: pl_bound(gap=1, mu=3, smoothness=2, steps=1), r"mu must be in \[0, smoothness\]"),
        (
            lambda: pl_constant(descend(quadratic, START, lr=0.1, steps=1), minimum=99.0),
            "minimum must lie below all values, got 99.0",
        ),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()
