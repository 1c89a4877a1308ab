"""Dropout on linear regression equals an adaptive ridge penalty: exactly, by all masks, and by sampling."""

import itertools

import pytest
import torch
from sklearn.linear_model import Ridge

from gradatim.errors import GradatimError
from gradatim.linear import fit_least_squares
from gradatim.linear.dropout_ridge import dropout_penalty, fit_dropout_ridge

GENERATOR = torch.Generator().manual_seed(0)
X = torch.randn(30, 4, generator=GENERATOR, dtype=torch.float64) * torch.tensor([1.0, 2, 0.5, 3])
Y = X @ torch.tensor([1.0, -1.0, 2.0, 0.3], dtype=torch.float64) + 0.7


@pytest.mark.parametrize("keep", [0.3, 0.8])
def test_expected_loss_over_all_masks(keep):
    w, b = torch.tensor([0.5, -1.0, 0.2, 2.0], dtype=torch.float64), 0.4
    expected = 0.0
    for bits in itertools.product([0, 1], repeat=4):
        probability = keep ** sum(bits) * (1 - keep) ** (4 - sum(bits))
        mask = torch.tensor(bits, dtype=torch.float64)
        expected += probability * ((X * mask / keep) @ w + b - Y).square().mean()
    plain = (X @ w + b - Y).square().mean()
    torch.testing.assert_close(plain + dropout_penalty(w, X, keep=keep), expected)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_fit_has_zero_gradient(fit_intercept):
    fit = fit_dropout_ridge(X, Y, keep=0.7, fit_intercept=fit_intercept)
    w = fit.weight.clone().requires_grad_()
    b = fit.bias.clone().requires_grad_()
    loss = (X @ w + b - Y).square().mean() + dropout_penalty(w, X, keep=0.7)
    dw, db = torch.autograd.grad(loss, (w, b))
    torch.testing.assert_close(dw, torch.zeros_like(dw), atol=1e-10, rtol=0)
    if fit_intercept:
        assert abs(db.item()) < 1e-10
    else:
        assert fit.bias == 0


def test_on_features_of_equal_size_it_is_ridge():
    Z = (X - X.mean(0)) / X.std(0, correction=0)
    fit = fit_dropout_ridge(Z, Y, keep=0.6)
    ridge = Ridge(alpha=30 * 0.4 / 0.6).fit(Z, Y)
    torch.testing.assert_close(fit.weight, torch.tensor(ridge.coef_))
    assert fit.bias.item() == pytest.approx(ridge.intercept_)


def test_keeping_all_is_least_squares_and_columns_fit_apart():
    free = fit_least_squares(X, Y)
    torch.testing.assert_close(fit_dropout_ridge(X, Y, keep=1.0).weight, free.weight)
    both = fit_dropout_ridge(X, torch.stack([Y, -2 * Y], 1), keep=0.5)
    torch.testing.assert_close(both.weight[:, 1], -2 * both.weight[:, 0])


def test_errors():
    with pytest.raises(GradatimError, match=r"keep must be in \(0, 1\], got 0"):
        fit_dropout_ridge(X, Y, keep=0)
    with pytest.raises(GradatimError, match=r"dropout_penalty: keep must be in \(0, 1\], got 1.2"):
        dropout_penalty(Y[:4], X, keep=1.2)
