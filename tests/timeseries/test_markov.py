"""Markov chains: the worked weather, and the law of the stationary distribution."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.errors import InvalidValue
from gradatim.timeseries import stationary_distribution

WEATHER = torch.tensor([[0.8, 0.1, 0.1], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]]).double()
START = torch.tensor([0.5, 0.3, 0.2]).double()


def test_worked_days():
    np.testing.assert_allclose(START @ WEATHER, [0.58, 0.26, 0.16], atol=1e-7)
    np.testing.assert_allclose(START @ WEATHER @ WEATHER, [0.616, 0.236, 0.148], atol=1e-7)


def test_worked_limits():
    np.testing.assert_allclose(
        stationary_distribution(WEATHER), [0.642857, 0.214286, 0.142857], atol=1e-6
    )
    np.testing.assert_allclose(
        torch.linalg.eigvals(WEATHER).real.sort(descending=True).values, [1, 0.4, 0.3], atol=1e-7
    )
    other = [[0.7, 0.2, 0.1], [0.4, 0.5, 0.1], [0.3, 0.3, 0.4]]
    np.testing.assert_allclose(
        stationary_distribution(torch.tensor(other)), [0.551020, 0.306122, 0.142857], atol=1e-6
    )


@settings(deadline=None, max_examples=50)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_it_is_kept_and_reached(size, seed):
    A = torch.rand(size, size, generator=torch.Generator().manual_seed(seed)).double() + 0.05
    A /= A.sum(1, keepdim=True)
    pi = stationary_distribution(A)
    torch.testing.assert_close(pi @ A, pi)
    torch.testing.assert_close(torch.linalg.matrix_power(A, 400)[0], pi)


def test_a_periodic_chain_has_one_too():
    swap = torch.tensor([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_allclose(stationary_distribution(swap), [0.5, 0.5])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (torch.eye(2), "more than one distribution is kept"),
        (torch.tensor([[0.5, 0.4], [0.5, 0.5]]), "must sum to one in every row, got 0.9 in row 0"),
        (torch.tensor([[1.5, -0.5], [0.5, 0.5]]), "got negative ones or NaN"),
        (torch.tensor([[0.5, torch.nan], [0.5, 0.5]]), "got negative ones or NaN"),
        (torch.ones(2, 1), "must have size 2 × 2, got shape \\(2, 1\\)"),
    ],
)
def test_errors(matrix, message):
    with pytest.raises(InvalidValue, match=message):
        stationary_distribution(matrix)
