"""Kernels against scikit-learn's, their gradients against differences, and laws that every covariance keeps."""

import numpy as np
import pytest
import torch
from sklearn.gaussian_process import kernels as sk

from gradatim.bayes import RBF, Constant, Linear, Matern, NetworkKernel, Periodic, White
from gradatim.errors import InvalidValue

THREE = (1.3, 0.4, 2.0)
KERNELS = {
    "rbf": (RBF(length=0.7, variance=2.0), 2.0 * sk.RBF(0.7)),
    "rbf, ard": (RBF(length=THREE), 1.0 * sk.RBF(THREE)),
    "matern 1/2": (Matern(0.5, length=THREE, variance=0.3), 0.3 * sk.Matern(THREE, nu=0.5)),
    "matern 3/2": (Matern(1.5, length=0.8), 1.0 * sk.Matern(0.8, nu=1.5)),
    "matern 5/2": (Matern(length=THREE), 1.0 * sk.Matern(THREE, nu=2.5)),
    "white": (White(variance=0.2), sk.WhiteKernel(0.2)),
    "constant": (Constant(variance=0.2), sk.ConstantKernel(0.2)),
    "linear": (Linear(variance=1.5), 1.5 * sk.DotProduct(0.0)),
    "sum and product": (RBF() * Linear() + White(), sk.RBF() * sk.DotProduct(0.0) + sk.WhiteKernel()),
}  # fmt: skip
OWN = {
    "periodic": Periodic(period=2.0, length=0.6, variance=1.2),
    "network": NetworkKernel(),
    "deep network": NetworkKernel(depth=3, activation="tanh", bias_variance=0.4),
}
ALL = {name: kernel for name, (kernel, _) in KERNELS.items()} | OWN


def rows(count, seed=0):
    return torch.randn(count, 3, generator=torch.Generator().manual_seed(seed)).double()


@pytest.mark.parametrize("name", KERNELS)
def test_they_are_those_of_scikit_learn(name):
    ours, theirs = KERNELS[name]
    x, other = rows(5), rows(4, 1)
    np.testing.assert_allclose(ours(x), theirs(x.numpy()), atol=1e-10)
    np.testing.assert_allclose(ours(x, other), theirs(x.numpy(), other.numpy()), atol=1e-10)


def test_the_periodic_kernel_is_that_of_scikit_learn_on_a_line():
    x = rows(5)[:, :1]
    expected = 1.2 * sk.ExpSineSquared(0.6, 2.0)(x.numpy())
    np.testing.assert_allclose(OWN["periodic"](x), expected, atol=1e-12)


@pytest.mark.parametrize("name", ALL)
class TestEvery:
    def test_the_diagonal(self, name):
        kernel, x = ALL[name], rows(5)
        torch.testing.assert_close(kernel.diagonal(x), kernel(x).diagonal())

    def test_symmetric_and_positive_semidefinite(self, name):
        K = ALL[name](rows(8))
        torch.testing.assert_close(K, K.T)
        assert torch.linalg.eigvalsh(K).min() > -1e-9

    @pytest.mark.parametrize("is_same", [True, False])
    def test_gradients_are_differences(self, name, is_same):
        kernel, x, other = ALL[name], rows(5), None if is_same else rows(4, 1)
        weights = torch.randn(5, 5 if is_same else 4).double()
        expected = differences(kernel, lambda k: (weights * k(x, other)).sum())
        torch.testing.assert_close(kernel.pullback(weights, x, other), expected, atol=1e-6, rtol=1e-6)  # fmt: skip
        expected = differences(kernel, lambda k: weights[:, 0] @ k.diagonal(x))
        found = kernel.pullback_diagonal(weights[:, 0], x)
        torch.testing.assert_close(found, expected, atol=1e-6, rtol=1e-6)

    @pytest.mark.parametrize("is_same", [True, False])
    def test_covariances_and_gradient_together_are_those_apart(self, name, is_same):
        kernel, x, other = ALL[name], rows(5), None if is_same else rows(4, 1)
        weights = torch.randn(5, 5 if is_same else 4).double()
        K, pullback = kernel.with_pullback(x, other)
        torch.testing.assert_close(K, kernel(x, other))
        torch.testing.assert_close(pullback(weights), kernel.pullback(weights, x, other))

    def test_parameters_go_there_and_back(self, name):
        kernel = ALL[name]
        again = kernel.replace(kernel.theta)
        torch.testing.assert_close(again.theta, kernel.theta)
        assert type(again) is type(kernel)
        doubled = kernel.replace(kernel.theta + np.log(2))
        torch.testing.assert_close(doubled.theta.exp(), 2 * kernel.theta.exp())


def differences(kernel, total, step=1e-5):
    sides = [[total(kernel.replace(kernel.theta + sign * step * axis)) for sign in (1, -1)] for axis in torch.eye(len(kernel.theta)).double()]  # fmt: skip
    return torch.stack([(high - low) / (2 * step) for high, low in sides])


@pytest.mark.parametrize("length", [[1.0, 2.0, 3.0], np.array([1.0, 2.0, 3.0])])
def test_lists_and_arrays_are_taken(length):
    assert RBF(length=length) == RBF(length=(1.0, 2.0, 3.0))
    np.testing.assert_allclose(RBF(length=length)(rows(4).numpy()), RBF(length=length)(rows(4)))


def test_inputs_far_away_keep_their_digits():
    x = rows(6) * 1e-3
    torch.testing.assert_close(RBF()(x + 1e6), RBF()(x), atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: RBF(length=0.0), r"RBF: length must be positive and finite, got 0.0. Try length=1.0"),
        (lambda: RBF(length=(1.0, float("nan"))), "RBF: length must be positive and finite, got nan"),
        (lambda: Matern(1.0), "Matern: nu must be one of .*, got '1.0'"),
        (lambda: RBF(length=(1.0, 2.0)).for_columns(3), "length must be one number or one for each of 3 columns, got 2"),
        (lambda: White(variance=-1.0), "White: variance must be positive and finite, got -1.0"),
    ],
)  # fmt: skip
def test_what_is_refused(call, words):
    with pytest.raises(InvalidValue, match=words):
        call()
