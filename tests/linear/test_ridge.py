"""Ridge: scikit-learn, the posterior mode in every convention, and the shrinkage law."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import Ridge

from gradatim.errors import InvalidValue
from gradatim.linear import fit_least_squares, fit_ridge, map_weight_decay


def problem(n=30, d=5):
    generator = torch.Generator().manual_seed(0)
    X = torch.randn(n, d, generator=generator, dtype=torch.float64) + 2
    return X, torch.randn(n, generator=generator, dtype=torch.float64) - 3


@pytest.mark.parametrize("shape", [(30, 5), (6, 15)], ids=["tall", "wide"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_scikit_learn_alpha(shape, fit_intercept):
    X, y = problem(*shape)
    gamma = 0.3
    for reduction, alpha in (("mean", gamma * len(X) / 2), ("sum", gamma / 2)):
        fit = fit_ridge(X, y, weight_decay=gamma, reduction=reduction, fit_intercept=fit_intercept)
        reference = Ridge(alpha=alpha, fit_intercept=fit_intercept).fit(X.numpy(), y.numpy())
        np.testing.assert_allclose(fit.weight.numpy(), reference.coef_, atol=1e-10)
        assert fit.bias.item() == pytest.approx(reference.intercept_, abs=1e-10)


def test_several_targets_are_independent_problems():
    X, y = problem()
    both = fit_ridge(X, torch.stack([y, -y], dim=1), weight_decay=0.1)
    one = fit_ridge(X, y, weight_decay=0.1)
    torch.testing.assert_close(both.weight, torch.stack([one.weight, -one.weight], dim=1))


@pytest.mark.parametrize("objective", ["mse", "sse", "nll_mean", "nll_sum"])
def test_map_estimate_in_every_convention(objective):
    """The penalized optimum makes the gradient of the log-posterior of torch.distributions vanish."""
    X, t = problem()
    prior, noise = 0.2, 0.7
    gamma = map_weight_decay(prior, noise_variance=noise, num_samples=len(X), objective=objective)

    def error(w):
        squares = (X @ w - t).square()
        nll = -torch.distributions.Normal(X @ w, noise**0.5).log_prob(t)
        return {
            "mse": squares.mean(),
            "sse": squares.sum(),
            "nll_mean": nll.mean(),
            "nll_sum": nll.sum(),
        }[objective]

    w = torch.zeros(5, dtype=torch.float64, requires_grad=True)
    penalized = error(w) + gamma / 2 * w.square().sum()
    (gradient,) = torch.autograd.grad(penalized, w, create_graph=True)
    hessian = torch.stack([torch.autograd.grad(g, w, retain_graph=True)[0] for g in gradient])
    best = (
        (w - torch.linalg.solve(hessian, gradient)).detach().requires_grad_()
    )  # quadratic: one step
    posterior = torch.distributions.Normal(X @ best, noise**0.5).log_prob(t).sum()
    posterior = posterior + torch.distributions.Normal(0 * best, prior**0.5).log_prob(best).sum()
    (slope,) = torch.autograd.grad(posterior, best)
    assert slope.abs().max() < 1e-9


def test_ridge_is_the_map_estimate():
    X, t = problem()
    prior, noise = 0.2, 0.7
    # Posterior mean of a linear-Gaussian model, from the joint covariance of targets and weights.
    cross = prior * X.T.numpy()
    joint = prior * X.numpy() @ X.T.numpy() + noise * np.eye(len(X))
    expected = cross @ np.linalg.solve(joint, t.numpy())
    for reduction, objective in (("mean", "mse"), ("sum", "sse")):
        gamma = map_weight_decay(
            prior, noise_variance=noise, num_samples=len(X), objective=objective
        )
        fit = fit_ridge(X, t, weight_decay=gamma, reduction=reduction, fit_intercept=False)
        np.testing.assert_allclose(fit.weight.numpy(), expected, atol=1e-10)


def test_table_of_conventions():
    arguments = {"noise_variance": 0.1, "num_samples": 50}
    assert map_weight_decay(0.5, objective="nll_sum", **arguments) == pytest.approx(2.0)
    assert map_weight_decay(0.5, objective="nll_mean", **arguments) == pytest.approx(2.0 / 50)
    assert map_weight_decay(0.5, objective="sse", **arguments) == pytest.approx(0.4)
    assert map_weight_decay(0.5, objective="mse", **arguments) == pytest.approx(0.4 / 50)


def test_each_eigen_direction_shrinks_by_its_factor():
    X, y = problem()
    gamma = 0.4
    X, y = X - X.mean(0), y - y.mean()
    values, vectors = torch.linalg.eigh(2 * X.T @ X / len(X))
    plain = vectors.T @ fit_least_squares(X, y).weight
    ridge = vectors.T @ fit_ridge(X, y, weight_decay=gamma).weight
    torch.testing.assert_close(ridge, values / (values + gamma) * plain)


def test_limits():
    X, y = problem()
    torch.testing.assert_close(
        fit_ridge(X, y, weight_decay=1e-12).weight, fit_least_squares(X, y).weight
    )
    heavy = fit_ridge(X, y, weight_decay=1e12)
    assert heavy.weight.abs().max() < 1e-10
    assert heavy.bias.item() == pytest.approx(y.mean().item())  # the bias is not penalized


def test_errors():
    X, y = problem()
    with pytest.raises(InvalidValue, match=r"fit_ridge: weight_decay must be positive, got 0"):
        fit_ridge(X, y, weight_decay=0)
    with pytest.raises(
        InvalidValue, match=r"fit_ridge: reduction must be one of mean, sum, got 'meen'"
    ):
        fit_ridge(X, y, weight_decay=1, reduction="meen")
    with pytest.raises(InvalidValue, match=r"map_weight_decay: objective must be one of mse"):
        map_weight_decay(1.0, objective="rmse")
    with pytest.raises(InvalidValue, match=r"must be positive, got 0.0, 1.0, 1"):
        map_weight_decay(0.0)
