"""LDA: scikit-learn, Bayes' rule with explicit Gaussians, invariance to linear maps."""

import numpy as np
import pytest
import torch
from sklearn.datasets import load_digits, load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from gradatim.errors import InvalidValue
from gradatim.linear import fit_lda


def test_iris_agrees_with_scikit_learn():
    X, y = load_iris(return_X_y=True)
    fit, reference = fit_lda(X, y), LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
    np.testing.assert_allclose(fit.probabilities(X).numpy(), reference.predict_proba(X), atol=1e-9)


def test_digits_with_constant_pixels_agree_with_scikit_learn():
    X, y = load_digits(return_X_y=True)
    fit, reference = fit_lda(X, y), LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(fit.probabilities(X).numpy(), reference.predict_proba(X), atol=1e-6)
    assert (fit.predict(X).numpy() == reference.predict(X)).all()


def test_bayes_rule_with_explicit_gaussians():
    X, y = load_iris(return_X_y=True)
    fit = fit_lda(X, y)
    X, y = torch.tensor(X), torch.tensor(y)
    means = torch.stack([X[y == k].mean(0) for k in range(3)])
    scatter = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(3))
    gaussians = [torch.distributions.MultivariateNormal(mean, scatter / 150) for mean in means]
    joint = torch.stack([g.log_prob(X) + np.log(1 / 3) for g in gaussians], dim=1)
    torch.testing.assert_close(fit.probabilities(X), torch.softmax(joint, dim=1))


def test_an_invertible_map_of_the_inputs_changes_nothing():
    X, y = load_iris(return_X_y=True)
    A = np.random.default_rng(0).normal(size=(4, 4))
    torch.testing.assert_close(
        fit_lda(X @ A + 3, y).probabilities(X @ A + 3), fit_lda(X, y).probabilities(X)
    )


def test_too_few_samples():
    with pytest.raises(
        InvalidValue, match=r"fit_lda: X must have more rows .* got 2 rows and 2 classes"
    ):
        fit_lda(torch.tensor([[0.0], [1.0]]), torch.tensor([0, 1]))
