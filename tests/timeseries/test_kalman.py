"""The filter: worked gains, the joint Gaussian, other libraries, and that both of its paths agree."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from statsmodels.tsa.statespace.mlemodel import MLEModel

from gradatim.errors import InvalidValue
from gradatim.timeseries import LinearDynamicalSystem
from gradatim.timeseries.kalman import filter_together, shared_updates
from gradatim.timeseries.kalman_gaps import filter_each


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def scalar(Q=1.0, R=1.0, P0=1.0, mean0=0.0):
    one = torch.ones(1, 1).double()
    return LinearDynamicalSystem(one, one, Q * one, R * one, one[0] * mean0, P0 * one)


@pytest.mark.parametrize(("P0", "gain"), [(25.0, 0.961538), (0.25, 0.2)])
@pytest.mark.parametrize("joseph", [False, True])
def test_worked_first_gains(P0, gain, joseph):
    found = scalar(P0=P0).filter(torch.tensor([[3.0]]).double(), joseph=joseph)
    assert found.gains.item() == pytest.approx(gain, abs=1e-6)
    assert found.covariances.item() == pytest.approx(gain, abs=1e-6)  # A = C = R = 1
    assert found.means.item() == pytest.approx(3 * gain, abs=3e-6)


def test_the_covariance_forgets_where_it_began():
    y = torch.zeros(60, 1).double()
    sure, unsure = (scalar(P0=P0).filter(y).covariances[:, 0, 0] for P0 in (0.25, 25.0))
    apart = (sure - unsure).abs()
    assert apart[0] > 0.7
    assert (apart.diff() <= 0).all()
    assert apart[-1] < 1e-12
    assert sure[-1].item() == pytest.approx(scalar().steady_state().covariance.item())


@pytest.mark.parametrize("gaps", ["none", "one step of one", "entries of most"])
@pytest.mark.parametrize("has_inputs", [False, True])
@pytest.mark.parametrize("joseph", [False, True])
def test_against_a_loop(random_system, has_inputs, joseph, gaps):
    model = random_system(3, 2, 2 if has_inputs else None, seed=1)
    y = torch.randn(4, 50, 2, generator=seeded()).double()
    x = torch.randn(4, 50, 2, generator=seeded(1)).double() if has_inputs else None
    if gaps == "one step of one":
        y[2, 20] = torch.nan
    elif gaps == "entries of most":
        y[1:][torch.rand(3, 50, 2, generator=seeded(2)) < 0.2] = torch.nan
    found = model.filter(y, inputs=x, joseph=joseph)
    A, full_C, Q, full_R, mean0, cov0 = (matrix.numpy() for matrix in model.parameters[:6])
    for b in range(4):
        score = 0.0
        for t in range(50):
            if t == 0:
                h, P = mean0, cov0
            else:
                push = model.B.numpy() @ x[b, t].numpy() if has_inputs else 0.0
                h, P = A @ h + push, A @ P @ A.T + Q
            keep = ~np.isnan(y[b, t].numpy())
            C, R, now = full_C[keep], full_R[np.ix_(keep, keep)], y[b, t].numpy()[keep]
            S = C @ P @ C.T + R
            K = P @ C.T @ np.linalg.inv(S)
            score += multivariate_normal.logpdf(now, C @ h, S) if keep.any() else 0.0
            h, P = h + K @ (now - C @ h), (np.eye(3) - K @ C) @ P
            np.testing.assert_allclose(found.means[b, t], h, atol=1e-10)
            np.testing.assert_allclose(found.covariances[b, t], P, atol=1e-10)
            np.testing.assert_allclose(found.gains[b, t][:, keep], K, atol=1e-10)
        assert found.log_likelihood[b].item() == pytest.approx(score, rel=1e-10)


def test_the_likelihood_is_the_density_of_all_observations(random_system, joint):
    model = random_system(2, 2, 1, seed=2)
    x = torch.randn(6, 1, generator=seeded()).double()
    _, y = model.simulate(6, inputs=x, generator=seeded(1))
    _, mean, _, _, covariance = joint(model, 6, x.numpy())
    expected = multivariate_normal.logpdf(y.flatten(), mean, covariance)
    assert model.log_likelihood(y, inputs=x).item() == pytest.approx(expected, rel=1e-10)


def test_missing_observations_are_left_out_of_the_joint_gaussian(random_system, joint):
    model = random_system(2, 2, seed=3)
    _, y = model.simulate(7, 5, generator=seeded(2))
    gone = torch.rand(5, 7, 2, generator=seeded(3)) < 0.4
    y = torch.where(gone, torch.nan, y)
    found = model.filter(y)
    state_mean, mean, states, cross, covariance = joint(model, 7)
    for b in range(5):
        keep = ~gone[b].flatten().numpy()
        values = y[b].flatten().numpy()[keep]
        expected = multivariate_normal.logpdf(values, mean[keep], covariance[np.ix_(keep, keep)])
        assert found.log_likelihood[b].item() == pytest.approx(expected, rel=1e-9)
        gain = cross[-2:][:, keep] @ np.linalg.inv(covariance[np.ix_(keep, keep)])
        np.testing.assert_allclose(
            found.means[b, -1], state_mean[-2:] + gain @ (values - mean[keep]), atol=1e-9
        )
        np.testing.assert_allclose(
            found.covariances[b, -1],
            (states - gain_all(cross, covariance, keep))[-2:, -2:],
            atol=1e-9,
        )
    assert (found.gains[gone[:, :, None].expand(-1, -1, 2, -1)] == 0).all()


def gain_all(cross, covariance, keep):
    part = cross[:, keep]
    return part @ np.linalg.inv(covariance[np.ix_(keep, keep)]) @ part.T


def test_missing_steps_at_the_end_are_forecasts(random_system):
    model = random_system(seed=4)
    _, y = model.simulate(30, generator=seeded(4))
    known = model.filter(y)
    longer = model.filter(torch.cat([y, torch.full((3, 2), torch.nan).double()]))
    h, P = known.means[-1], known.covariances[-1]
    for t in range(30, 33):
        h, P = model.A @ h, model.A @ P @ model.A.T + model.Q
        torch.testing.assert_close(longer.means[t], h)
        torch.testing.assert_close(longer.covariances[t], P)
    torch.testing.assert_close(longer.log_likelihood, known.log_likelihood)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 4), st.integers(1, 3), st.integers(1, 70), st.integers(0, 1000))
def test_both_paths_agree(random_system, n, m, steps, seed):
    model = random_system(n, m, seed=seed)
    y = torch.randn(3, steps, m, generator=seeded(seed)).double()
    for joseph in (False, True):
        for fast, slow in zip(
            filter_together(
                model.parameters, y, None, shared_updates(model.parameters, steps, joseph)
            ),
            filter_each(model.parameters, y, None, joseph),
            strict=True,
        ):
            torch.testing.assert_close(fast, slow, rtol=1e-8, atol=1e-9)


@pytest.fixture
def statsmodels_model(random_system):
    ours = random_system(3, 2, seed=6)
    _, y = ours.simulate(40, generator=seeded(6))
    theirs = MLEModel(y.numpy(), k_states=3)
    theirs["design"], theirs["transition"] = ours.C.numpy(), ours.A.numpy()
    theirs["state_cov"], theirs["obs_cov"] = ours.Q.numpy(), ours.R.numpy()
    theirs["selection"] = np.eye(3)
    theirs.ssm.initialize_known(ours.mean0.numpy(), ours.cov0.numpy())
    return ours, y, theirs


def test_agrees_with_statsmodels(statsmodels_model):
    ours, y, theirs = statsmodels_model
    found, expected = ours.filter(y), theirs.ssm.filter()
    np.testing.assert_allclose(found.means, expected.filtered_state.T, atol=1e-9)
    np.testing.assert_allclose(
        found.covariances, np.moveaxis(expected.filtered_state_cov, 2, 0), atol=1e-9
    )
    assert found.log_likelihood.item() == pytest.approx(expected.llf, rel=1e-9)


def test_smoother_agrees_with_statsmodels(statsmodels_model):
    ours, y, theirs = statsmodels_model
    found, expected = ours.smooth(y), theirs.ssm.smooth()
    np.testing.assert_allclose(found.means, expected.smoothed_state.T, atol=1e-8)
    np.testing.assert_allclose(
        found.covariances, np.moveaxis(expected.smoothed_state_cov, 2, 0), atol=1e-8
    )


def exact_covariance(P, A, C, steps):
    """Filtered covariance of two states without noise, seen with unit noise, in fractions."""
    A, C, P = ([[Fraction(x) for x in row] for row in matrix] for matrix in (A, C, P))

    def times(X, Y):
        return [
            [
                sum(a * b for a, b in zip(row, column, strict=True))
                for column in zip(*Y, strict=True)
            ]
            for row in X
        ]

    for t in range(steps):
        P = times(times(A, P), list(zip(*A, strict=True))) if t else P
        seen = times(C, P)[0]
        S = seen[0] * C[0][0] + seen[1] * C[0][1] + 1
        P = [[P[i][j] - seen[i] * seen[j] / S for j in range(2)] for i in range(2)]
    return torch.tensor([[float(value) for value in row] for row in P]).double()


def test_joseph_form_keeps_its_digits_where_the_first_covariance_is_huge():
    A, C = torch.tensor([[1.0, 0.7], [0.0, 0.9]]).double(), torch.tensor([[1.1, 0.3]]).double()
    cov0 = torch.tensor([[7.3e13, 1.7e13], [1.7e13, 3.1e13]]).double()
    eye = torch.eye(2).double()
    model = LinearDynamicalSystem(A, C, 0 * eye, eye[:1, :1], 0 * eye[0], cov0)
    truth = exact_covariance(cov0.tolist(), A.tolist(), C.tolist(), 5)
    y = torch.zeros(5, 1).double()
    careful, plain = (model.filter(y, joseph=form).covariances[-1] for form in (True, False))
    assert (careful - truth).abs().max() < 1e-3 * truth.abs().max()
    assert (plain - truth).abs().max() > 10 * (careful - truth).abs().max()
    assert torch.linalg.eigvalsh(careful).min() > 0


def test_a_batch_is_its_sequences(random_system):
    model = random_system(seed=7)
    _, y = model.simulate(90, 3, generator=seeded(7))
    together = model.filter(y)
    for b in range(3):
        for one, all_ in zip(model.filter(y[b]), together, strict=True):
            torch.testing.assert_close(one, all_[b])


def test_one_step(random_system):
    model = random_system(seed=8)
    found = model.filter(torch.zeros(1, 2).double())
    assert found.means.shape == (1, 3)
    assert model.smooth(torch.zeros(1, 2).double()).cross_covariances.shape == (0, 3, 3)


def test_single_precision_follows_double_precision(random_system):
    model = random_system(seed=9)
    single = LinearDynamicalSystem(*(x.float() for x in model.parameters[:6]))
    _, y = model.simulate(300, 2, generator=seeded(9))
    found, truth = single.filter(y), model.filter(y)
    assert found.means.dtype == torch.float32
    np.testing.assert_allclose(found.means, truth.means, atol=1e-4)


def test_long_gaps_and_sequences_that_see_nothing(random_system):
    model = random_system(2, 2, seed=11)
    _, y = model.simulate(300, 3, generator=seeded(11))
    y[0, 40:190] = torch.nan
    y[1] = torch.nan
    found = model.filter(y)
    start = model.filter(y[0, :40])
    after = LinearDynamicalSystem(
        *model.parameters[:4], *forecast_of(model, start.means[-1], start.covariances[-1], 151)
    )
    torch.testing.assert_close(found.means[0, 190:], after.filter(y[0, 190:]).means)
    assert found.log_likelihood[1] == 0
    h, P = forecast_of(model, model.mean0, model.cov0, 299)
    torch.testing.assert_close(found.means[1, -1], h)
    torch.testing.assert_close(found.covariances[1, -1], P)


def forecast_of(model, h, P, steps):
    for _ in range(steps):
        h, P = model.A @ h, model.A @ P @ model.A.T + model.Q
    return h, P


def test_gaps_without_noise_go_one_step_after_the_other():
    """Where Q and R leave no innovation of their own there are no maps of many steps."""
    zero = torch.zeros(1, 1).double()
    model = LinearDynamicalSystem(zero + 1, zero + 1, zero, zero + 0.0, zero[0], zero + 1)
    y = torch.full((60, 1), torch.nan).double()
    y[30] = 2.0
    found = model.filter(y)
    assert (found.means[:30] == 0).all()
    assert (found.means[30:] == 2).all()


@pytest.mark.parametrize("missing", [False, True])
def test_gradient(random_system, missing):
    model = random_system(2, 1, 1, seed=10)
    x = torch.randn(1, 40, 1, generator=seeded()).double()
    y = torch.randn(1, 40, 1, generator=seeded(1)).double()
    if missing:
        y[0, 3:6] = torch.nan

    def score(A, C, root_q, root_r, mean0, root_0, B):
        covariances = (root @ root.T + torch.eye(len(root)) for root in (root_q, root_r, root_0))
        Q, R, cov0 = covariances
        system = LinearDynamicalSystem(A, C, Q, R, mean0, cov0, B)
        return system.log_likelihood(y, inputs=x)

    torch.autograd.gradcheck(score, [p.clone().requires_grad_() for p in model.parameters])


def test_observations_without_noise_of_a_state_without_noise_are_refused():
    zero = torch.zeros(1, 1).double()
    model = LinearDynamicalSystem(zero + 1, zero + 1, zero, zero, zero[0], zero + 1)
    with pytest.raises(InvalidValue, match="Add a little observation noise to R"):
        model.filter(torch.ones(3, 1).double())


def test_exact_observations_are_believed():
    model = scalar(R=0.0)
    y = torch.randn(20, 1, generator=seeded()).double()
    torch.testing.assert_close(model.filter(y).means, y)
