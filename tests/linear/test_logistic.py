"""Logistic and softmax regression: scikit-learn, the zero gradient, and data without a maximum."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from gradatim.errors import InvalidValue
from gradatim.linear import fit_logistic, fit_softmax


def overlapping(classes, n=120):
    generator = torch.Generator().manual_seed(0)
    y = torch.arange(n) % classes
    X = torch.randn(n, 2, generator=generator, dtype=torch.float64)
    return X + torch.stack([y, -y], dim=1), y


@pytest.mark.parametrize("gamma", [1e-3, 1.0])
def test_logistic_agrees_with_scikit_learn(gamma):
    data = load_breast_cancer()
    X = StandardScaler().fit_transform(data.data)
    reference = LogisticRegression(C=1 / (gamma * len(X)), tol=1e-10, max_iter=10_000).fit(
        X, data.target
    )
    fit = fit_logistic(X, data.target, weight_decay=gamma)
    np.testing.assert_allclose(fit.weight.numpy(), reference.coef_[0], atol=1e-5)
    assert fit.bias.item() == pytest.approx(reference.intercept_[0], abs=1e-5)
    np.testing.assert_allclose(fit.probabilities(X).numpy(), reference.predict_proba(X), atol=1e-5)
    assert (fit.predict(X).numpy() == reference.predict(X)).all()


@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_softmax_agrees_with_scikit_learn(load):
    data = load()
    X = StandardScaler().fit_transform(data.data)
    gamma = 0.01
    reference = LogisticRegression(C=1 / (gamma * len(X)), tol=1e-10, max_iter=10_000).fit(
        X, data.target
    )
    fit = fit_softmax(X, data.target, weight_decay=gamma)
    np.testing.assert_allclose(fit.weight.T.numpy(), reference.coef_, atol=1e-4)
    np.testing.assert_allclose(fit.probabilities(X).numpy(), reference.predict_proba(X), atol=1e-5)


@pytest.mark.parametrize("gamma", [0.0, 0.1])
def test_gradient_of_the_objective_vanishes(gamma):
    X, y = overlapping(3)
    units = torch.tensor([100.0, 0.01], dtype=torch.float64)  # badly scaled on purpose
    fit = fit_softmax(X * units, y, weight_decay=gamma)
    W, b = fit.weight.clone().requires_grad_(), fit.bias.clone().requires_grad_()
    loss = F.cross_entropy(X * units @ W + b, y) + gamma / 2 * W.square().sum()
    slopes = torch.autograd.grad(loss, [W, b])
    natural = torch.sqrt((X * units).var(0) + gamma)  # weights times this have curvature of order 1
    assert (slopes[0].T / natural).abs().max() < 2e-7
    assert slopes[1].abs().max() < 2e-7

    y = (y > 0).long()
    fit = fit_logistic(X * units, y, weight_decay=gamma)
    w, b = fit.weight.clone().requires_grad_(), fit.bias.clone().requires_grad_()
    loss = F.binary_cross_entropy_with_logits(X * units @ w + b, y.double())
    slopes = torch.autograd.grad(loss + gamma / 2 * w.square().sum(), [w, b])
    assert (slopes[0] / units).abs().max() < 1e-9
    assert slopes[1].abs() < 1e-9


def test_two_class_softmax_is_logistic_regression():
    X, y = overlapping(2)
    one, two = fit_logistic(X, y), fit_softmax(X, y)
    torch.testing.assert_close(two.weight[:, 1] - two.weight[:, 0], one.weight, atol=1e-6, rtol=0)
    torch.testing.assert_close(two.probabilities(X), one.probabilities(X), atol=1e-7, rtol=0)


def test_mean_probability_equals_the_class_share():
    X, y = overlapping(3)
    shares = torch.bincount(y) / len(y)
    mean = fit_softmax(X, y, weight_decay=0.5).probabilities(X).mean(0)
    torch.testing.assert_close(
        mean, shares.double(), atol=1e-7, rtol=0
    )  # the bias is not penalized


def test_softmax_weights_sum_to_zero_over_the_classes():
    X, y = overlapping(3)
    assert fit_softmax(X, y).weight.sum(1).abs().max() < 1e-10


def test_labels_are_kept():
    X, y = overlapping(2)
    assert fit_logistic(X, y * 3 - 7).classes.tolist() == [-7, -4]


def test_separable_data_has_no_maximum():
    X, y = torch.tensor([0.0, 1, 2, 3]), torch.tensor([0, 0, 1, 1])
    for name, fit in (("fit_logistic", fit_logistic), ("fit_softmax", fit_softmax)):
        with pytest.raises(
            InvalidValue, match=rf"{name}: weight_decay must be positive when .* got 0"
        ):
            fit(X, y)
        assert torch.equal(fit(X, y, weight_decay=1e-6).predict(X), y)


def test_one_class_apart_is_enough_to_be_refused():
    """Iris: two kinds overlap, and the third lies apart, so not every row is predicted right."""
    data = load_iris()
    with pytest.raises(InvalidValue, match=r"fit_softmax: weight_decay must be positive"):
        fit_softmax(data.data, data.target)
    fit_softmax(data.data[50:], data.target[50:])
    with pytest.raises(InvalidValue, match=r"fit_softmax: weight_decay must be positive"):
        fit_softmax(torch.tensor([0.0, 1, 1, 2]), torch.tensor([0, 0, 1, 1]))  # touching


def test_many_weights_that_separate_all_are_refused():
    generator = torch.Generator().manual_seed(0)
    X, y = torch.randn(60, 200, generator=generator), torch.arange(60) % 3
    with pytest.raises(InvalidValue, match=r"fit_softmax: weight_decay must be positive"):
        fit_softmax(X, y)


def test_touching_and_dependent_data_are_refused_too():
    touching = torch.tensor(
        [0.0, 1, 1, 2]
    )  # two classes share the point 1: the slope still diverges
    with pytest.raises(InvalidValue, match=r"can be separated"):
        fit_logistic(touching, torch.tensor([0, 0, 1, 1]))
    X, y = overlapping(2)
    with pytest.raises(InvalidValue, match=r"columns of X depend on each other"):
        fit_logistic(torch.cat([X, X.sum(1, keepdim=True)], dim=1), y)


def test_errors():
    X, y = overlapping(3)
    with pytest.raises(
        InvalidValue, match=r"fit_logistic: y must hold two classes, got 3. Try fit_softmax"
    ):
        fit_logistic(X, y)
    for fit in (fit_logistic, fit_softmax):
        with pytest.raises(InvalidValue, match=r"weight_decay must be zero or positive, got -1"):
            fit(X, y, weight_decay=-1)
