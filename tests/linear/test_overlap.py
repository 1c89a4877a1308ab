"""Overlap by a few rows is overlap by all of them, and is what lets a likelihood have a maximum."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from gradatim.linear.overlap import classes_overlap
from gradatim.linear.separability import separate


def dense_program(a, y, K):
    """All constraints at once: no direction that wrongs nobody may gain anything."""
    a = np.column_stack([a, np.ones(len(a))])
    rows = []
    for i in range(len(a)):
        for k in range(K):
            if k != y[i]:
                row = np.zeros((K, a.shape[1]))
                row[y[i]], row[k] = a[i], -a[i]
                rows.append(row.ravel())
    Z = np.array(rows)
    found = linprog(-Z.sum(0), A_ub=-Z, b_ub=np.zeros(len(Z)), bounds=(-1, 1)).x
    return (Z @ found).max() <= 1e-6


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 4), st.integers(1, 3), st.integers(4, 40), st.integers(0, 10**6))
def test_against_the_dense_program(K, dim, size, seed):
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(K), rng.integers(0, K, size)])
    X = np.round(rng.normal(size=(len(y), dim)) + rng.choice([0.0, 1.0, 3.0]) * y[:, None], 1)
    found = classes_overlap(torch.from_numpy(X), torch.from_numpy(y), K)
    assert found == dense_program(X, y, K)


@pytest.mark.parametrize("shift", [0.0, 1.0, 6.0])
def test_two_classes_are_separable_where_a_hyperplane_says_so(shift):
    rng = np.random.default_rng(1)
    y = np.arange(3000) % 2
    X = rng.normal(size=(3000, 4))
    X[:, 0] += shift * (2 * y - 1)
    expected = not separate(X, y).separable
    assert classes_overlap(torch.from_numpy(X), torch.from_numpy(y), 2) == expected
