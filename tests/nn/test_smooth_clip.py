"""Limits that bend, and scales that strange rows do not move."""

import numpy as np
import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.nn import robust_scale, smooth_clip


def test_bends_towards_the_limit_and_is_odd_and_rising():
    x = torch.linspace(-1e4, 1e4, 2001, dtype=torch.float64)
    y = smooth_clip(x, 2.5)
    assert y.abs().max() < 2.5
    torch.testing.assert_close(y, -smooth_clip(-x, 2.5))
    assert (y.diff() > 0).all()
    small = torch.tensor([1e-4], dtype=torch.float64)
    torch.testing.assert_close(smooth_clip(small), small, rtol=1e-8, atol=0.0)


def test_scale_ignores_strange_rows():
    x = np.random.default_rng(0).normal(3.0, 2.0, size=(2001, 1))
    strange = x.copy()
    strange[:20] = 1e9
    for one, other in zip(robust_scale(x), robust_scale(strange), strict=True):
        np.testing.assert_allclose(one, other, rtol=0.05)
    middle, scale = robust_scale(x)
    inside = np.abs((x - middle.numpy()) * scale.numpy()) < 0.5
    assert abs(inside.mean() - 0.5) < 0.03


def test_scale_of_columns_without_quartiles():
    x = torch.tensor([[0.0, 4.0]] * 9 + [[5.0, 4.0]])
    middle, scale = robust_scale(x)
    assert middle.tolist() == [0.0, 4.0]
    assert scale.tolist() == pytest.approx([0.4, 0.0])


def test_gradient_and_refusals():
    x = torch.randn(5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(smooth_clip, x)
    with pytest.raises(InvalidValue, match="limit must be positive, got 0"):
        smooth_clip(x, 0.0)
    with pytest.raises(InvalidValue, match=r"x must have shape \(N, D\)"):
        robust_scale(torch.zeros(3))
