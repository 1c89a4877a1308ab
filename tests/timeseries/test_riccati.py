"""Covariances by doubling are those of the recursion, and end at the solution of the Riccati equation."""

import math

import numpy as np
import pytest
import torch
from scipy.linalg import solve_discrete_are

from gradatim.errors import InvalidValue
from gradatim.timeseries import LinearDynamicalSystem
from gradatim.timeseries.kalman import shared_updates
from gradatim.timeseries.riccati import advance, filtered_covariances, one_step, then


def recursion(model, P, steps):
    """The textbook recursion, in NumPy."""
    A, C, Q, R = (x.numpy() for x in model.parameters[:4])
    found = [P]
    for _ in range(steps - 1):
        predicted = A @ found[-1] @ A.T + Q
        K = predicted @ C.T @ np.linalg.inv(C @ predicted @ C.T + R)
        found.append((np.eye(len(A)) - K @ C) @ predicted)
    return np.stack(found)


def covariances(model, steps):
    A, C, Q, R = model.parameters[:4]
    predict = lambda P: A @ P @ A.T + Q  # noqa: E731
    return filtered_covariances(one_step(A, C, Q, R), model.cov0, steps, predict)


@pytest.mark.parametrize("seed", range(4))
def test_doubling_is_the_recursion(random_system, seed):
    model = random_system(3, 2, seed=seed)
    first = model.cov0
    found = covariances(model, 200)
    expected = recursion(model, first.numpy(), 200)
    assert 2 < len(found) < 200
    np.testing.assert_allclose(found, expected[: len(found)], rtol=1e-10)
    np.testing.assert_allclose(found[-1], expected[-1], rtol=1e-10)


def test_maps_compose(random_system):
    model = random_system(seed=5)
    steps, P = one_step(*model.parameters[:4]), model.cov0
    two = then(steps, steps)
    four = then(then(steps, two), steps)
    by_one = P
    for _ in range(4):
        by_one = advance(steps, by_one)
    torch.testing.assert_close(advance(four, P), by_one)


def test_slow_forgetting_is_followed_to_the_end():
    one, Q = torch.ones(1, 1).double(), 1e-7
    model = LinearDynamicalSystem(one, one, Q * one, one, one[0], one)
    found = covariances(model, 60_000)[:, 0, 0]
    P = [1.0]
    while len(P) < len(found):
        P.append((P[-1] + Q) / (P[-1] + Q + 1))
    assert len(found) > 10_000
    np.testing.assert_allclose(found, P, rtol=1e-9)


@pytest.mark.parametrize(("Q", "R"), [(1.0, 1.0), (0.01, 4.0), (9.0, 0.1)])
def test_scalar_steady_state_in_closed_form(Q, R):
    one = torch.ones(1, 1).double()
    model = LinearDynamicalSystem(one, one, Q * one, R * one, torch.zeros(1).double(), one)
    steady = model.steady_state()
    expected = (Q + math.sqrt(Q**2 + 4 * Q * R)) / 2
    assert steady.predicted_covariance.item() == pytest.approx(expected, rel=1e-12)
    assert steady.gain.item() == pytest.approx(expected / (expected + R), rel=1e-12)
    assert steady.covariance.item() == pytest.approx(expected * R / (expected + R), rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_steady_state_agrees_with_scipy(random_system, seed):
    model = random_system(4, 2, seed=seed)
    A, C, Q, R = (x.numpy() for x in model.parameters[:4])
    expected = solve_discrete_are(A.T, C.T, Q, R)
    np.testing.assert_allclose(model.steady_state().predicted_covariance, expected, rtol=1e-9)


def test_an_unstable_but_observed_system_has_a_steady_state():
    A = torch.tensor([[1.3, 0.4], [0.0, 0.9]]).double()
    C = torch.tensor([[1.0, 0.0]]).double()
    eye = torch.eye(2).double()
    model = LinearDynamicalSystem(A, C, 0.1 * eye, eye[:1, :1], eye[0], eye)
    expected = solve_discrete_are(A.T.numpy(), C.T.numpy(), 0.1 * eye.numpy(), np.eye(1))
    np.testing.assert_allclose(model.steady_state().predicted_covariance, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("A", "C", "Q", "R"),
    [
        ([1.1, 0.5], [0.0, 1.0], [1.0, 1.0], 1.0),  # grows, unseen
        ([1.0, 0.5], [0.0, 1.0], [1.0, 1.0], 1.0),  # a random walk, unseen
        (
            [1.0, 0.5],
            [1.0, 1.0],
            [0.0, 1.0],
            1.0,
        ),  # stands still: the gain goes to zero, never there
        ([0.5, 0.5], [1.0, 1.0], [0.0, 0.0], 0.0),  # no noise at all
    ],
)
def test_systems_without_a_steady_state(A, C, Q, R):
    A, C, Q = torch.tensor(A).diag(), torch.tensor([C]), torch.tensor(Q).diag()
    model = LinearDynamicalSystem(A, C, Q, torch.tensor([[R]]), torch.zeros(2), torch.eye(2))
    with pytest.raises(InvalidValue, match="a steady state needs every part"):
        model.steady_state()


def different_scales(dtype):
    """Two states that know nothing of each other, one a million times as large."""
    variances = torch.tensor([1.0, 1e6], dtype=dtype)
    Q = torch.tensor([0.01, 1e6], dtype=dtype).diag()
    eye = torch.eye(2, dtype=dtype)
    return LinearDynamicalSystem(eye, eye, Q, variances.diag(), 0 * eye[0], variances.diag())


@pytest.mark.parametrize("joseph", [False, True])
def test_a_state_settles_in_its_own_units(joseph):
    single, double = (different_scales(dtype) for dtype in (torch.float32, torch.float64))
    first = np.diag([0.5, 5e5])  # as sure beforehand as an observation is: half of it remains
    expected = recursion(double, first, 400)
    found = single.filter(torch.zeros(400, 2), joseph=joseph).covariances
    assert found[-1, 0, 0].item() == pytest.approx(0.0951, abs=5e-5)
    np.testing.assert_allclose(
        found.diagonal(dim1=1, dim2=2), np.einsum("tii->ti", expected), rtol=1e-5
    )


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1e3, 1e6])
def test_units_of_a_state_change_nothing(random_system, scale):
    """States measured in other units have the same filter, in those units."""
    model = random_system(3, 2, seed=8)
    units = torch.tensor([1.0, scale, 1.0]).double().diag()
    other = LinearDynamicalSystem(
        units @ model.A @ units.inverse(),
        model.C @ units.inverse(),
        units @ model.Q @ units,
        model.R,
        units @ model.mean0,
        units @ model.cov0 @ units,
    )
    y = torch.randn(500, 2, generator=torch.Generator().manual_seed(8)).double()
    back = units.inverse() @ other.filter(y).covariances @ units.inverse()
    torch.testing.assert_close(back, model.filter(y).covariances, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("order", [1, 2, 5])
def test_states_that_are_seen_without_noise_settle_too(order):
    """An autoregression as a system: nothing is unsure after its order, but for rounding."""
    A = torch.zeros(order, order).double()
    A[0], A[1:, :-1] = 0.3 / order, torch.eye(order - 1)
    turn = torch.linalg.qr(
        torch.randn(order, order, generator=torch.Generator().manual_seed(1)).double()
    )[0]
    first, eye = torch.eye(order)[:, :1].double(), torch.eye(order).double()
    model = LinearDynamicalSystem(
        turn @ A @ turn.T, first.T @ turn.T, turn @ first @ first.T @ turn.T, 0 * eye[:1, :1], 0 * eye[0], eye
    )  # fmt: skip
    assert len(shared_updates(model.parameters, 2000, False).gain) < 200
