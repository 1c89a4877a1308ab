"""Ladders of bins against slow loops."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.nn import PiecewiseLinearEncoding, piecewise_linear, quantile_edges


def slow_ladder(x, edges):
    """The definition, number by number; edges that repeat make no bin."""
    real = [edge for k, edge in enumerate(edges) if k == 0 or edge > edges[k - 1]]
    found = []
    for t in range(1, len(real)):
        value = (x - real[t - 1]) / (real[t] - real[t - 1])
        value = value if t == 1 else max(value, 0.0)
        found.append(value if t == len(real) - 1 else min(value, 1.0))
    return found + [0.0] * (len(edges) - 1 - len(found))


def test_ladders_are_what_the_definition_says():
    rng = np.random.default_rng(0)
    x = np.stack([rng.normal(size=40), rng.integers(0, 3, 40), np.r_[np.zeros(35), np.arange(5)]], 1)  # fmt: skip
    edges = quantile_edges(torch.from_numpy(x), 4)
    new = torch.from_numpy(rng.normal(scale=4.0, size=(50, 3)))
    found = piecewise_linear(new, edges)
    expected = [[slow_ladder(v, e) for v, e in zip(row, edges.tolist(), strict=True)] for row in new.tolist()]  # fmt: skip
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_edges_are_quantiles_without_repeats():
    x = np.random.default_rng(1).normal(size=(101, 2))
    np.testing.assert_allclose(quantile_edges(x, 5), np.quantile(x, np.linspace(0, 1, 6), axis=0).T)
    few = quantile_edges(torch.tensor([[0.0]] * 9 + [[1.0]] * 2 + [[5.0]]), 6)[0]
    assert few.tolist() == [0.0, 1.0, 5.0, 5.0, 5.0, 5.0, 5.0]


def test_a_sum_of_widths_gives_the_number_back():
    x = torch.randn(60, 3, dtype=torch.float64)
    edges = quantile_edges(x, 7)
    ladders = piecewise_linear(2 * x, edges)
    back = edges[:, 0] + (ladders * edges.diff(dim=1)).sum(-1)
    torch.testing.assert_close(back, 2 * x)  # beyond the edges too


def test_gradient():
    edges = torch.tensor([[-1.0, 0.0, 1.0]], dtype=torch.float64)
    x = torch.tensor([[-1.5], [-0.4], [0.3], [1.7]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: piecewise_linear(x, edges), x)


def test_refusals():
    with pytest.raises(InvalidValue, match="edges must have a row of at least two for each"):
        piecewise_linear(torch.zeros(3, 2), torch.zeros(1, 4))
    with pytest.raises(InvalidValue, match="bins must be a whole number from 1, got 0"):
        quantile_edges(torch.zeros(3, 2), 0)
    with pytest.raises(InvalidValue, match=r"x must have shape \(N, D\)"):
        quantile_edges(torch.zeros(3), 2)
    with pytest.raises(InvalidValue, match="edges must be at least two rising numbers a column"):
        PiecewiseLinearEncoding([[1.0, 0.0]])
