"""Gradient descent on least squares: the minimum-norm law, its rate, its step limit, its conditioning."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.linear import (
    descend_least_squares,
    hessian_condition,
    hessian_eigenvalues,
    with_ones,
)


def problem(n, d, seed=0):
    generator = torch.Generator().manual_seed(seed)
    X = torch.randn(n, d, generator=generator, dtype=torch.float64)
    return X, torch.randn(n, generator=generator, dtype=torch.float64)


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 5), st.integers(0, 6), st.integers(0, 100))
def test_from_zero_descent_finds_the_pseudo_inverse_solution(n, extra, seed):
    X, y = problem(n, n + extra + 3, seed)
    result = descend_least_squares(X, y, max_steps=100_000)
    expected = np.linalg.pinv(X.numpy()) @ y.numpy()
    assert result.has_converged
    np.testing.assert_allclose(result.weight.numpy(), expected, atol=1e-6)


def test_from_elsewhere_it_keeps_what_the_data_cannot_see():
    X, y = problem(4, 9)
    start = torch.randn(9, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    result = descend_least_squares(X, y, start=start, max_steps=50_000)
    inverse = torch.linalg.pinv(X)
    unseen = start - inverse @ (X @ start)  # the component in the null space of X
    torch.testing.assert_close(result.weight, inverse @ y + unseen, atol=1e-7, rtol=0)
    assert result.weight.norm() > (inverse @ y).norm()


def test_every_iterate_lies_in_the_row_space():
    X, y = problem(3, 8)
    projector = torch.linalg.pinv(X) @ X
    for steps in (1, 2, 7):
        weight = descend_least_squares(X, y, max_steps=steps).weight
        torch.testing.assert_close(projector @ weight, weight)


def test_one_step_and_its_loss_by_hand():
    X, y = torch.tensor([[1.0], [2.0]]), torch.tensor([2.0, 2.0])
    result = descend_least_squares(X, y, lr=0.1, max_steps=1)
    # ∇E(0) = (2/2)(−2 − 4) = −6; w = 0.6; E = (2² + 2²)/2 = 4, then (1.4² + 0.8²)/2 = 1.3
    assert result.weight.item() == pytest.approx(0.6)
    assert result.losses.tolist() == pytest.approx([4.0, 1.3])
    assert not result.has_converged


def test_steps_beyond_two_over_l_diverge():
    X, y = problem(30, 3)
    limit = 2 / hessian_eigenvalues(X)[-1].item()
    below = descend_least_squares(X, y, lr=0.99 * limit, max_steps=2000).losses
    above = descend_least_squares(X, y, lr=1.01 * limit, max_steps=2000).losses
    assert below[-1] < below[0]
    assert above[-1] > 1e6 * above[0]


def test_rate_is_one_minus_mu_over_l():
    X = torch.diag(torch.tensor([1.0, 0.2], dtype=torch.float64))
    result = descend_least_squares(X, torch.tensor([1.0, 1.0]), max_steps=40)
    mu, largest = hessian_eigenvalues(X).tolist()
    # After one step the stiff direction is exact; the soft one shrinks by (1 − μ/L)² in the loss.
    ratios = result.losses[3:] / result.losses[2:-1]
    torch.testing.assert_close(ratios, torch.full_like(ratios, (1 - mu / largest) ** 2))


def test_columns_of_targets_are_independent_problems():
    X, y = problem(20, 3)
    both = descend_least_squares(X, torch.stack([y, 2 * y], dim=1))
    one = descend_least_squares(X, y)
    torch.testing.assert_close(both.weight, torch.stack([one.weight, 2 * one.weight], dim=1))


def test_hessian_eigenvalues_by_autograd():
    X, y = problem(10, 4)
    hessian = torch.autograd.functional.hessian(
        lambda w: (X @ w - y).square().mean(), torch.zeros(4, dtype=torch.float64)
    )
    torch.testing.assert_close(hessian_eigenvalues(X), torch.linalg.eigvalsh(hessian))
    assert hessian_condition(X) == pytest.approx(np.linalg.cond(hessian.numpy()))
    assert hessian_eigenvalues(X[:2]).tolist()[:2] == [0, 0]
    assert hessian_condition(X[:2]) == np.inf


def test_standardization_lowers_the_condition_number():
    X, _ = problem(500, 3)
    raw = X * torch.tensor([1.0, 100.0, 0.01]) + torch.tensor([5.0, 300.0, 0.0])
    standard = (raw - raw.mean(0)) / raw.std(0)
    assert hessian_condition(with_ones(standard)) < 2
    assert hessian_condition(with_ones(raw)) > 1e7


def test_learning_rate_must_be_positive():
    with pytest.raises(InvalidValue, match=r"descend_least_squares: lr must be positive, got -1"):
        descend_least_squares(torch.ones(1, 1), torch.ones(1), lr=-1)
