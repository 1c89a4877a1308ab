"""The system as a whole: simulation, learning, and clear words for bad input."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from statsmodels.tsa.statespace.mlemodel import MLEModel

from gradatim.errors import InvalidType, InvalidValue
from gradatim.timeseries import LinearDynamicalSystem

EYE = torch.eye(2).double()
ZERO = torch.zeros(2).double()


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_simulated_moments_are_those_of_the_joint_gaussian(random_system, joint):
    model = random_system(2, 1, 1, seed=1)
    x = torch.randn(4, 1, generator=seeded()).double()
    states, y = model.simulate(4, 60_000, inputs=x, generator=seeded(1))
    state_mean, mean, covariance, cross, observed = joint(model, 4, x.numpy())
    both = torch.cat([states.flatten(1), y.flatten(1)], 1)
    expected = np.block([[covariance, cross], [cross.T, observed]])
    scale = np.sqrt(np.diag(expected))
    np.testing.assert_allclose(
        both.mean(0).numpy(), np.r_[state_mean, mean], atol=0.03 * scale.max()
    )
    np.testing.assert_allclose(
        torch.cov(both.T).numpy() / np.outer(scale, scale),
        expected / np.outer(scale, scale),
        atol=0.03,
    )


def test_simulation_without_noise_follows_the_equations(random_system):
    model = random_system(3, 2, 2, seed=2)
    quiet = LinearDynamicalSystem(
        model.A, model.C, 0 * model.Q, 0 * model.R, model.mean0, 0 * model.cov0, model.B
    )
    x = torch.randn(40, 2, generator=seeded()).double()
    states, y = quiet.simulate(40, inputs=x)
    h = model.mean0
    for t in range(40):
        h = h if t == 0 else model.A @ h + model.B @ x[t]
        torch.testing.assert_close(states[t], h)
        torch.testing.assert_close(y[t], model.C @ h)


def test_the_same_generator_gives_the_same_sequences(random_system):
    a, b = (random_system().simulate(5, 2, generator=seeded(3))[1] for _ in range(2))
    assert torch.equal(a, b)


@settings(max_examples=12, deadline=None)
@given(
    st.integers(1, 3),
    st.integers(1, 2),
    st.integers(2, 25),
    st.booleans(),
    st.sampled_from(["nothing", "a step", "entries"]),
    st.sets(st.sampled_from(["A", "B", "C", "Q", "R", "mean0", "cov0"]), min_size=1),
    st.integers(0, 1000),
)
def test_the_likelihood_never_falls(random_system, n, m, steps, has_inputs, missing, learn, seed):
    truth, start = (
        random_system(n, m, 2 if has_inputs else None, seed=s) for s in (seed, seed + 1)
    )
    x = torch.randn(2, steps, 2, generator=seeded(seed)).double() if has_inputs else None
    _, y = truth.simulate(steps, 2, inputs=x, generator=seeded(seed))
    if missing == "a step":
        y[0, steps // 2] = torch.nan
    elif missing == "entries":
        y[torch.rand(y.shape, generator=seeded(seed)) < 0.3] = torch.nan
        y[0, 0, 0] = 1.0  # something is there
    found = start.learn(y, inputs=x, max_steps=8, tol=-1.0, parts=learn)
    scores = np.array(found.log_likelihoods)
    assert len(scores) == 8
    assert (np.diff(scores) > -1e-7 * (1 + np.abs(scores[1:]))).all()
    for name in {"A", "C", "Q", "R", "mean0", "cov0"} - learn:
        assert torch.equal(getattr(found.model, name), getattr(start, name))


def dense_log_likelihood(joint, model, y):
    """Log-density of what is seen, from the joint Gaussian of all observations."""
    _, mean, _, _, covariance = joint(model, y.shape[1])
    total = 0.0
    for row in y.flatten(1).numpy():
        keep = ~np.isnan(row)
        total += multivariate_normal.logpdf(row[keep], mean[keep], covariance[np.ix_(keep, keep)])
    return total


def test_learning_from_partly_missing_steps_climbs_the_dense_likelihood(random_system, joint):
    """Correlated noise, entries missing at random; where it ends no direction leads up."""
    truth, start = random_system(1, 2, seed=11), random_system(1, 2, seed=12)
    _, y = truth.simulate(12, 4, generator=seeded(11))
    y[torch.rand(y.shape, generator=seeded(12)) < 0.3] = torch.nan
    found = start.learn(y, max_steps=3000, tol=0.0, parts=("C", "R"))
    scores = np.array(found.log_likelihoods)
    assert scores[0] == pytest.approx(dense_log_likelihood(joint, start, y), rel=1e-10)
    assert scores[-1] == pytest.approx(dense_log_likelihood(joint, found.model, y), rel=1e-6)
    assert (np.diff(scores) > -1e-10 * np.abs(scores[1:])).all()
    parts = [p.clone().requires_grad_() for p in (found.model.C, found.model.R)]
    model = LinearDynamicalSystem(
        found.model.A, parts[0], found.model.Q, parts[1], *found.model.parameters[4:]
    )
    slopes = torch.autograd.grad(model.log_likelihood(y).sum(), parts)
    assert max(slope.abs().max().item() for slope in slopes) < 1e-2


@pytest.mark.parametrize("has_gaps", [False, True])
def test_forecast_agrees_with_statsmodels(random_system, has_gaps):
    ours = random_system(3, 2, seed=13)
    _, y = ours.simulate(40, generator=seeded(13))
    if has_gaps:
        y[10], y[-1, 0] = torch.nan, torch.nan
    theirs = MLEModel(y.numpy(), k_states=3)
    theirs["design"], theirs["transition"] = ours.C.numpy(), ours.A.numpy()
    theirs["state_cov"], theirs["obs_cov"] = ours.Q.numpy(), ours.R.numpy()
    theirs["selection"] = np.eye(3)
    theirs.ssm.initialize_known(ours.mean0.numpy(), ours.cov0.numpy())
    found, expected = ours.forecast(y, 9, level=0.8), theirs.smooth([]).get_forecast(9)
    np.testing.assert_allclose(found.mean, expected.predicted_mean, atol=1e-9)
    ends = expected.conf_int(alpha=0.2)  # lower ends of all, then upper ends
    np.testing.assert_allclose(found.lower, ends[:, :2], atol=1e-9)
    np.testing.assert_allclose(found.upper, ends[:, 2:], atol=1e-9)


def test_forecast_of_a_batch_with_inputs_is_the_joint_gaussian(random_system, joint):
    model = random_system(2, 2, 1, seed=14)
    x = torch.randn(3, 9, 1, generator=seeded(14)).double()
    _, y = model.simulate(9, 3, inputs=x, generator=seeded(15))
    found = model.forecast(y[:, :6], 3, inputs=x)
    assert found.mean.shape == (3, 3, 2)
    for b in range(3):
        _, mean, _, _, covariance = joint(model, 9, x[b].numpy())
        past, future = np.s_[:12], np.s_[12:]
        gain = covariance[future, past] @ np.linalg.inv(covariance[past, past])
        expected = mean[future] + gain @ (y[b, :6].flatten().numpy() - mean[past])
        spread = np.diag(covariance[future, future] - gain @ covariance[past, future])
        np.testing.assert_allclose(found.mean[b].flatten(), expected, atol=1e-9)
        reach = (found.upper - found.mean)[b].flatten()
        np.testing.assert_allclose(reach, 1.959964 * np.sqrt(spread), rtol=1e-6)


def test_noise_levels_are_found_again():
    one = torch.ones(1, 1).double()
    truth = LinearDynamicalSystem(one, one, 0.2 * one, 2.0 * one, one[0] * 0, one)
    _, y = truth.simulate(300, 10, generator=seeded(4))
    start = LinearDynamicalSystem(one, one, one, one, one[0] * 0, one)
    found = start.learn(y, max_steps=100, parts=("Q", "R"))
    assert found.model.Q.item() == pytest.approx(0.2, rel=0.2)
    assert found.model.R.item() == pytest.approx(2.0, rel=0.1)
    assert found.log_likelihoods[-1] > truth.log_likelihood(y).sum().item() - 1.0


def test_the_effect_of_inputs_is_found_again(random_system):
    truth = random_system(2, 2, 1, seed=5)
    x = torch.randn(8, 300, 1, generator=seeded(5)).double()
    _, y = truth.simulate(300, 8, inputs=x, generator=seeded(6))
    start = LinearDynamicalSystem(*truth.parameters[:6], B=torch.zeros(2, 1).double())
    found = start.learn(y, inputs=x, parts=("B",), max_steps=50)
    np.testing.assert_allclose(found.model.B, truth.B, atol=0.05)


def test_learning_stops_when_little_is_gained(random_system):
    truth = random_system(seed=6)
    _, y = truth.simulate(50, generator=seeded(7))
    found = truth.learn(y, max_steps=1000, tol=1e-2)
    assert 2 <= len(found.log_likelihoods) < 200


def test_a_gradient_step_on_the_likelihood_gains(random_system):
    _, y = random_system(seed=7).simulate(60, 2, generator=seeded(8))
    start = random_system(seed=8)
    A = start.A.clone().requires_grad_()
    model = LinearDynamicalSystem(A, *start.parameters[1:])
    score = model.log_likelihood(y).sum()
    (slope,) = torch.autograd.grad(score, A)
    step = 1e-3 * slope / slope.norm()
    better = LinearDynamicalSystem((A + step).detach(), *start.parameters[1:])
    assert better.log_likelihood(y).sum() > score


def build(**changes):
    parts = {"A": EYE, "C": EYE, "Q": EYE, "R": EYE, "mean0": ZERO, "cov0": EYE} | changes
    return LinearDynamicalSystem(**parts)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"A": EYE[:1]}, r"A must have shape \(1, 1\) and not be empty, got \(1, 2\)"),
        ({"A": EYE[:0]}, "A must have shape"),
        ({"C": torch.ones(1, 3).double()}, r"C must have shape \(1, 2\) and not be empty, got \(1, 3\)"),
        ({"mean0": ZERO[:1]}, r"mean0 must have shape \(2,\)"),
        ({"B": torch.ones(3, 1).double()}, r"B must have shape \(2, 1\) and not be empty, got \(3, 1\)"),
        ({"Q": torch.eye(3).double()}, r"Q must be 2 × 2, got shape \(3, 3\)"),
        ({"R": -EYE}, "R must be positive semidefinite, got eigenvalue -1"),
        ({"cov0": torch.tensor([[1.0, 2.0], [0.0, 1.0]]).double()}, "cov0 must be symmetric"),
        ({"A": EYE * float("nan")}, "A must be finite"),
        ({"Q": EYE * float("inf")}, "Q must be finite"),
    ],
)  # fmt: skip
def test_bad_matrices(changes, message):
    with pytest.raises(InvalidValue, match=message):
        build(**changes)


@pytest.mark.parametrize("Q", [EYE.float(), EYE.long()])
def test_types_are_not_mixed(Q):
    with pytest.raises(InvalidType, match="Q must be floating point like A"):
        build(Q=Q)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: build().filter(torch.zeros(0, 2)), "with at least one step, got shape \\(0, 2\\)"),
        (lambda: build().filter(torch.zeros(5)), r"y must be \(T, 2\) or \(B, T, 2\)"),
        (lambda: build().filter(torch.zeros(5, 3)), r"got shape \(5, 3\)"),
        (lambda: build().smooth(torch.full((2, 2), torch.inf)), "NaN where missing, got infinity"),
        (lambda: build().filter(ZERO[None], inputs=ZERO), "a system without B got inputs"),
        (lambda: build(B=EYE).filter(ZERO[None]), "a system with B got none"),
        (lambda: build(B=EYE).filter(ZERO[None], inputs=ZERO), "inputs must be finite, of shape"),
        (lambda: build().simulate(0), "steps and num_sequences must be at least 1, got 0 and 1"),
        (lambda: build().simulate(3, 0), "at least 1, got 3 and 0"),
        (lambda: build().filter(torch.zeros(0, 4, 2)), r"at least one step, got shape \(0, 4, 2\)"),
        (lambda: build().learn(ZERO[None], parts=("D",)), "parts must be one of"),
        (lambda: build().forecast(ZERO[None], 0), "steps must be a whole number from 1, got 0"),
        (
            lambda: build().forecast(ZERO[None], 1, level=1.0),
            r"level must lie in \(0, 1\), got 1.0",
        ),
        (
            lambda: build(B=EYE).forecast(ZERO[None], 2, inputs=ZERO[None]),
            r"inputs must be finite, of shape \(3, 2\)",
        ),
        (
            lambda: build().learn(torch.ones(1, 2)),
            "at least two steps to learn A, B, Q, got 1. Take longer",
        ),
        (
            lambda: build().learn(torch.full((3, 2), torch.nan)),
            "y must not be missing everywhere, got NaN only",
        ),
    ],
)
def test_bad_calls(call, message):
    with pytest.raises(InvalidValue, match=message):
        call()


def test_repr():
    assert repr(build()) == "LinearDynamicalSystem(state 2, observation 2)"
