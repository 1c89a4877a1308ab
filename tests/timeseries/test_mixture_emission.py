"""Mixtures as what states emit: against a larger chain of single Gaussians, scikit-learn, and the law of Baum-Welch."""

import numpy as np
import pytest
import torch
from sklearn.mixture import GaussianMixture

from gradatim.errors import InvalidValue
from gradatim.timeseries import HMM, GaussianEmission, MixtureEmission


def draw(seed, K=3, M=2, D=2):
    rng = np.random.default_rng(seed)
    start, transition = rng.dirichlet(np.ones(K)), rng.dirichlet(np.ones(K), K)
    weights = rng.dirichlet(np.ones(M), K)
    means = torch.from_numpy(3 * rng.normal(size=(K * M, D)))
    roots = torch.from_numpy(rng.normal(size=(K * M, D, D)))
    covariances = roots @ roots.mT + 0.2 * torch.eye(D).double()
    return start, transition, weights, GaussianEmission(means, covariances, 1e-6)


def test_it_is_a_chain_of_states_that_choose_their_parts():
    start, transition, weights, parts = draw(0)
    K, M = weights.shape
    model = HMM(torch.from_numpy(start), torch.from_numpy(transition), MixtureEmission(weights, parts))  # fmt: skip
    large = HMM(
        torch.from_numpy((start[:, None] * weights).ravel()),
        torch.from_numpy(np.einsum("ij,jm->ijm", transition, weights).reshape(K, K * M).repeat(M, 0)),
        parts,
    )  # fmt: skip
    y = 3 * torch.randn(4, 9, 2, dtype=torch.float64)
    y[0, 3] = torch.nan
    y[1, 2, 0] = torch.nan
    torch.testing.assert_close(model.log_likelihood(y), large.log_likelihood(y))
    summed = large.posterior(y).unflatten(2, (K, M)).sum(3)
    torch.testing.assert_close(model.posterior(y), summed)


def test_one_state_learns_as_the_mixture_of_scikit_learn():
    _, _, weights, parts = draw(1, K=1, M=3)
    generator = torch.Generator().manual_seed(0)
    emission = MixtureEmission(weights, parts)
    y = emission.sample(torch.zeros(400, dtype=torch.long), generator)
    one = torch.ones(1, dtype=torch.float64)
    model = HMM(one, one[None], emission)
    learned = model.learn(y, max_steps=6, tol=-1.0).model.emission
    theirs = GaussianMixture(3, weights_init=weights[0], means_init=parts.means.numpy(), precisions_init=torch.linalg.inv(parts.covariances).numpy(), max_iter=6, tol=0.0, reg_covar=0.0)  # fmt: skip
    with pytest.warns(UserWarning, match="did not converge"):  # it is stopped early
        theirs.fit(y.numpy())
    np.testing.assert_allclose(learned.weights[0], theirs.weights_, rtol=1e-6)
    np.testing.assert_allclose(learned.parts.means, theirs.means_, rtol=1e-6)
    np.testing.assert_allclose(learned.parts.covariances, theirs.covariances_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("is_diagonal", [False, True])
def test_the_likelihood_never_falls(is_diagonal):
    start, transition, weights, parts = draw(2)
    if is_diagonal:
        parts = GaussianEmission(parts.means, parts.covariances.diagonal(dim1=1, dim2=2), 1e-6)
    truth = HMM(torch.from_numpy(start), torch.from_numpy(transition), MixtureEmission(weights, parts))  # fmt: skip
    _, y = truth.sample(40, 8, generator=torch.Generator().manual_seed(0))
    other = draw(3)
    begun = HMM(torch.from_numpy(other[0]), torch.from_numpy(other[1]), MixtureEmission(other[2], other[3]))  # fmt: skip
    course = begun.learn(y, max_steps=15, tol=-1.0).log_likelihoods
    assert (np.diff(course) > -1e-8).all()
    assert course[-1] > course[0] + 1


def test_draws_have_the_mean_of_the_mixture():
    _, _, weights, parts = draw(4)
    emission = MixtureEmission(weights, parts)
    states = torch.ones(20_000, dtype=torch.long)
    y = emission.sample(states, torch.Generator().manual_seed(0))
    expected = torch.from_numpy(weights[1]) @ parts.means[2:4]
    torch.testing.assert_close(y.mean(0), expected, atol=0.15, rtol=0.0)


def test_refuses():
    _, _, weights, parts = draw(5)
    with pytest.raises(InvalidValue, match=r"^MixtureEmission: parts must be one for each of 9 weights, got 6"):  # fmt: skip
        MixtureEmission(np.full((3, 3), 1 / 3), parts)
    with pytest.raises(InvalidValue, match=r"^MixtureEmission: weights must"):
        MixtureEmission(weights + 0.1, parts)
