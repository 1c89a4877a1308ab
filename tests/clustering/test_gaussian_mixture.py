import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

from gradatim.clustering import gaussian_mixture, k_means
from gradatim.errors import InvalidValue


def draw(seed, rows=60, dim=2):
    g = torch.Generator().manual_seed(seed)
    x = torch.randn(rows, dim, generator=g, dtype=torch.float64)
    return x + 3 * torch.arange(rows)[:, None].remainder(3)


def slow_step(x, state):
    """A round by loops over rows and parts."""
    N, K, d = len(x), len(state.weights), x.shape[1]
    joint = np.zeros((N, K))
    for n in range(N):
        for k in range(K):
            away, S = (x[n] - state.means[k]).numpy(), state.covariances[k].numpy()
            volume = math.sqrt((2 * math.pi) ** d * np.linalg.det(S))
            joint[n, k] = (
                float(state.weights[k]) * math.exp(-0.5 * away @ np.linalg.inv(S) @ away) / volume
            )
    shares = joint / joint.sum(1, keepdims=True)
    means = [
        sum(shares[n, k] * x[n].numpy() for n in range(N)) / shares[:, k].sum() for k in range(K)
    ]
    spread = [sum(shares[n, k] * np.outer(x[n].numpy() - means[k], x[n].numpy() - means[k]) for n in range(N)) / shares[:, k].sum() for k in range(K)]  # fmt: skip
    return shares.mean(0), means, spread, np.log(joint.sum(1)).mean(), shares


def test_a_step_is_what_loops_give():
    x = draw(0)
    state = gaussian_mixture.init(x, x[:3])
    for _ in range(3):
        weights, means, spread, likelihood, shares = slow_step(x, state)
        state, info = gaussian_mixture.step(x, state)
        np.testing.assert_allclose(state.weights, weights)
        np.testing.assert_allclose(state.means, np.array(means))
        np.testing.assert_allclose(state.covariances, np.array(spread), atol=1e-12)
        np.testing.assert_allclose(info.shares, shares)
        assert float(info.log_likelihood) == pytest.approx(likelihood)


@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 4))
def test_the_likelihood_never_falls(seed, dim, parts):
    x = draw(seed, rows=12, dim=dim)
    state, last = gaussian_mixture.init(x, x[:parts]), -math.inf
    for _ in range(15):
        state, info = gaussian_mixture.step(x, state, floor=1e-3)
        assert float(info.log_likelihood) >= last - 1e-9 * (1 + abs(last))
        last = float(info.log_likelihood)


def test_rounds_are_those_of_scikit_learn():
    x = draw(1, rows=200)
    state = gaussian_mixture.init(x, x[:3])
    theirs = GaussianMixture(
        3, weights_init=state.weights.numpy(), means_init=state.means.numpy(), precisions_init=torch.linalg.inv(state.covariances).numpy(),
        reg_covar=0.0, max_iter=400, tol=0.0,
    )  # fmt: skip
    with pytest.warns(Warning, match="converge"):
        theirs.fit(x.numpy())
    for _ in range(400):
        state, info = gaussian_mixture.step(x, state)
    np.testing.assert_allclose(state.means, theirs.means_, atol=1e-6)
    np.testing.assert_allclose(state.covariances, theirs.covariances_, atol=1e-6)
    assert float(info.log_likelihood) == pytest.approx(theirs.score(x.numpy()))


def test_small_round_parts_assign_as_k_means_does():
    x = draw(2)
    state = k_means.descend(x, x[:3])[-1]
    narrow = torch.eye(2).double().expand(3, 2, 2) * 1e-4
    mixture = gaussian_mixture.State(torch.full((3,), 1 / 3).double(), state.centers, narrow)
    _, info = gaussian_mixture.step(x, mixture)
    assert torch.equal(info.shares.argmax(1), state.labels)
    assert float(info.shares.max(1).values.min()) > 0.999


def test_a_part_does_not_fall_onto_a_row():
    x = torch.tensor([[0.0, 0.0], [5.0, 5.0], [5.1, 5.0], [5.0, 5.1]], dtype=torch.float64)
    state = gaussian_mixture.init(x, x[:2])
    for _ in range(50):
        state, info = gaussian_mixture.step(x, state, floor=0.01)
    assert torch.linalg.eigvalsh(state.covariances).min() >= 0.01 * (1 - 1e-9)
    assert info.log_likelihood.isfinite()


def test_errors():
    with pytest.raises(
        InvalidValue, match=r"gaussian_mixture.init: centers must be finite, of shape \(K, 1\)"
    ):
        gaussian_mixture.init([[0.0]], [[0.0, 1.0]])
    with pytest.raises(
        InvalidValue, match=r"gaussian_mixture.step: floor must be positive and finite, got 0"
    ):
        gaussian_mixture.step(
            [[0.0], [1.0]], gaussian_mixture.init([[0.0], [1.0]], [[0.0]]), floor=0
        )
