"""Box-constrained minimal moves against a linear program and a slow bisection."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from gradatim.robust.norms import NORMS, dual_norm
from gradatim.robust.water_filling import fill_box


def problem(seed, d):
    random = np.random.default_rng(seed)
    w, c = random.uniform(0, 2, d), random.uniform(0, 1, d)
    w[random.random(d) < 0.2] = 0
    c[random.random(d) < 0.2] = 0
    return w, c, random.uniform(0, 1) * (w @ c)


def least_size(w, c, g, p):
    """The optimal value by other means: a linear program, or bisection on the multiplier."""
    d = len(w)
    if p == 1:
        return linprog(np.ones(d), -w[None], [-g], bounds=list(zip(0 * c, c, strict=True))).fun
    if p == math.inf:
        limits = np.hstack([np.eye(d), -np.ones((d, 1))])  # m_k <= t
        rows = np.vstack([np.append(-w, 0.0), limits])
        bounds = [*zip(0 * c, c, strict=True), (0, None)]
        return linprog(np.append(np.zeros(d), 1.0), rows, [-g, *np.zeros(d)], bounds=bounds).fun
    low, high = 0.0, 1e12
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if w @ np.minimum(middle * w, c) >= g else (middle, high)
    return np.linalg.norm(np.minimum(high * w, c))


@pytest.mark.parametrize("p", NORMS)
@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), d=st.integers(1, 7))
def test_optimal(p, seed, d):
    w, c, g = problem(seed, d)
    m = fill_box(*(torch.tensor(value, dtype=torch.float64) for value in (g, w, c)), p).numpy()
    assert (m >= 0).all()
    assert (m <= c + 1e-12).all()
    assert w @ m == pytest.approx(g, abs=1e-9)
    assert np.linalg.norm(m, ord=p) == pytest.approx(least_size(w, c, g, p), rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("p", NORMS)
def test_in_a_wide_box_it_is_the_closed_form(p):
    w = torch.rand(5, 3, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    gain = torch.full((5, 3), 2.0, dtype=torch.float64)
    size = torch.linalg.vector_norm(fill_box(gain, w, torch.full_like(w, 1e6), p), ord=p, dim=-1)
    torch.testing.assert_close(size, gain / dual_norm(w, p))


@pytest.mark.parametrize("p", NORMS)
def test_out_of_reach_is_not_a_number_and_no_gain_no_move(p):
    w, c = torch.tensor([1.0, 0.0]), torch.tensor([1.0, 5.0])
    assert fill_box(torch.tensor(1.5), w, c, p).isnan().all()
    assert fill_box(torch.tensor(0.0), w, c, p).tolist() == [0, 0]
    assert fill_box(torch.tensor(1.0), w, c, p).tolist() == [1, 0]
