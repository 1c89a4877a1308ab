"""The smoother is the joint Gaussian given all observations."""

import numpy as np
import pytest
import torch

from gradatim.timeseries import LinearDynamicalSystem


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("has_inputs", [False, True])
def test_against_the_joint_gaussian(random_system, joint, missing, has_inputs):
    model = random_system(2, 2, 2 if has_inputs else None, seed=1)
    x = torch.randn(6, 2, generator=seeded()).double() if has_inputs else None
    _, y = model.simulate(6, 3, inputs=x, generator=seeded(1))
    if missing:
        y[torch.rand(3, 6, 2, generator=seeded(2)) < 0.4] = torch.nan
    found = model.smooth(y, inputs=x)
    state_mean, mean, states, cross, covariance = joint(model, 6, None if x is None else x.numpy())
    for b in range(3):
        keep = ~torch.isnan(y[b]).flatten().numpy()
        gain = cross[:, keep] @ np.linalg.inv(covariance[np.ix_(keep, keep)])
        h = state_mean + gain @ (y[b].flatten().numpy() - mean)[keep]
        P = (states - gain @ cross[:, keep].T).reshape(6, 2, 6, 2)
        np.testing.assert_allclose(found.means[b].flatten(), h, atol=1e-9)
        for t in range(6):
            np.testing.assert_allclose(found.covariances[b, t], P[t, :, t], atol=1e-9)
        for t in range(5):
            np.testing.assert_allclose(found.cross_covariances[b, t], P[t + 1, :, t], atol=1e-9)


def test_the_last_state_is_the_filters_and_earlier_ones_are_surer(random_system):
    model = random_system(seed=3)
    _, y = model.simulate(80, 2, generator=seeded(3))
    filtered, smoothed = model.filter(y), model.smooth(y)
    torch.testing.assert_close(smoothed.means[:, -1], filtered.means[:, -1])
    gained = filtered.covariances - smoothed.covariances
    assert torch.linalg.eigvalsh(gained[0]).min() > -1e-12
    torch.testing.assert_close(smoothed.log_likelihood, filtered.log_likelihood)


def test_a_state_without_noise_is_one_regression():
    """A constant seen with noise: the smoother is the mean of the prior and all observations."""
    eye = torch.eye(1).double()
    model = LinearDynamicalSystem(eye, eye, 0 * eye, eye, 0 * eye[0], 4 * eye)
    y = torch.randn(9, 1, generator=seeded()).double()
    found = model.smooth(y)
    expected = y.sum() / (9 + 1 / 4)
    torch.testing.assert_close(found.means, expected.expand(9, 1))
    torch.testing.assert_close(found.covariances, torch.full((9, 1, 1), 1 / 9.25).double())


def test_a_state_known_from_the_start_stays_known():
    eye = torch.eye(2).double()
    Q = torch.diag(torch.tensor([1.0, 0.0])).double()
    model = LinearDynamicalSystem(eye, eye, Q, eye, torch.tensor([0.0, 3.0]).double(), 0 * eye)
    found = model.smooth(torch.randn(8, 2, generator=seeded()).double())
    torch.testing.assert_close(found.means[:, 1], torch.full((8,), 3.0).double())
    assert (found.covariances[:, 1, 1].abs() < 1e-12).all()


def test_smoothing_halves_the_error_of_filtering():
    one = torch.ones(1, 1).double()
    model = LinearDynamicalSystem(one, one, 0.05 * one, one, one[0] * 0, one)
    states, y = model.simulate(400, 30, generator=seeded(5))
    errors = [
        (found.means - states).square().mean() for found in (model.filter(y), model.smooth(y))
    ]
    assert errors[1] < 0.65 * errors[0]
    assert errors[0] < 0.3 * (y - states).square().mean()
