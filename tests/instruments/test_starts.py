"""Minima that are known, and descent from one start at a time."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.instruments import descend, multi_start


def tilted(w):
    """Two valleys, the left one deeper; the maximum between them is at 0.0501…"""
    return ((w**2 - 1) ** 2 + 0.2 * w).sum()


def test_local_and_global_minimum():
    starts = torch.linspace(-1.8, 1.8, 19, dtype=torch.float64).unsqueeze(1)
    ends = multi_start(tilted, starts, lr=0.05, steps=400)
    # roots of 4w³ − 4w + 0.2
    torch.testing.assert_close(
        ends.minima.flatten(), torch.tensor([-1.02411, 0.97393]).double(), atol=1e-4, rtol=0
    )
    assert ends.counts.tolist() == [10, 9]
    assert tilted(ends.minima[0]) < tilted(ends.minima[1])


def test_equals_descent_from_each_start():
    starts = torch.randn(4, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    ends = multi_start(tilted, starts, lr=0.02, steps=25)
    for start, point, value in zip(starts, ends.points, ends.values, strict=True):
        path = descend(tilted, start, lr=0.02, steps=25)
        torch.testing.assert_close(point, path.points[-1])
        torch.testing.assert_close(value, path.values[-1])


def test_starts_are_left_alone_and_divergence_is_survived():
    starts = torch.tensor([[0.5], [1e6]], dtype=torch.float64)
    copy = starts.clone()
    ends = multi_start(tilted, starts, lr=0.05, steps=100)
    assert torch.equal(starts, copy)
    assert ends.counts.sum() == 2
    assert ends.minima[0].item() == pytest.approx(0.97393, abs=1e-4)


def test_refuses():
    with pytest.raises(
        InvalidValue, match=r"multi_start: starts must have shape \(S, d\), got \(3,\)"
    ):
        multi_start(tilted, torch.zeros(3), lr=0.1, steps=1)
