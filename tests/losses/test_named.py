"""Losses by name against their formulas."""

import math

import pytest
import torch

from gradatim.errors import GradatimError
from gradatim.losses import LOSSES, build_loss


def test_formulas_in_a_slow_loop():
    z = torch.tensor([[2.0, -1.0, 0.5], [0.0, 0.3, -2.0]], dtype=torch.float64)
    y = [0, 2]
    expected = (
        -sum(
            math.log(math.exp(row[k]) / sum(map(math.exp, row)))
            for row, k in zip(z.tolist(), y, strict=True)
        )
        / 2
    )
    assert LOSSES["cross_entropy"](z, torch.tensor(y)).item() == pytest.approx(expected)
    f, t = torch.tensor([1.5, -0.2]), torch.tensor([0.0, 1.0])
    pairs = list(zip(f.tolist(), t.tolist(), strict=True))
    assert LOSSES["mse"](f, t).item() == pytest.approx(sum((a - b) ** 2 for a, b in pairs) / 2)
    assert LOSSES["sse"](f, t).item() == pytest.approx(sum((a - b) ** 2 for a, b in pairs))
    assert LOSSES["mae"](f, t).item() == pytest.approx(sum(abs(a - b) for a, b in pairs) / 2)
    huber = sum(min(abs(a - b), 1) * (abs(a - b) - 0.5 * min(abs(a - b), 1)) for a, b in pairs) / 2
    assert LOSSES["huber"](f, t).item() == pytest.approx(huber)
    sigmoid = [1 / (1 + math.exp(-a)) for a, _ in pairs]
    bce = (
        -sum(
            b * math.log(s) + (1 - b) * math.log(1 - s)
            for s, (_, b) in zip(sigmoid, pairs, strict=True)
        )
        / 2
    )
    assert LOSSES["bce"](f, t).item() == pytest.approx(bce)


@pytest.mark.parametrize("name", ["mse", "sse", "mae", "huber"])
def test_zero_for_a_perfect_predictor_whatever_the_shape(name):
    y = torch.randn(7)
    assert LOSSES[name](y[:, None], y) == 0


@pytest.mark.parametrize("name", list(LOSSES))
def test_gradient(name):
    z = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    y = (
        torch.randint(3, (4,))
        if name in ("cross_entropy", "perceptron", "smoothed_cross_entropy")
        else torch.rand(4, 3, dtype=torch.float64)
    )
    assert torch.autograd.gradcheck(lambda z: LOSSES[name](z, y), z)


def test_finite_for_huge_logits():
    z = torch.tensor([[1e30, -1e30]])
    assert LOSSES["cross_entropy"](z, torch.tensor([0])) == 0
    assert torch.isfinite(LOSSES["bce"](z, torch.tensor([[0.0, 1.0]])))


def test_errors():
    with pytest.raises(GradatimError, match=r"as many values as the output \(2, 3\), got \(2,\)"):
        LOSSES["mse"](torch.zeros(2, 3), torch.zeros(2))
    with pytest.raises(GradatimError, match="Try 'mse'"):
        build_loss("mes")


def test_one_hot_targets_equal_class_indices():
    """cat, dog, bird as (1,0,0), (0,1,0), (0,0,1): the loss is that of the index, whatever the order of codes."""
    z = torch.tensor([[2.0, 1.0, 0.1]], dtype=torch.float64)
    for k, expected in enumerate((0.41703, 1.41703, 2.31703)):
        one_hot = torch.eye(3, dtype=torch.float64)[k : k + 1]
        assert LOSSES["cross_entropy"](z, one_hot).item() == pytest.approx(expected, abs=5e-6)
        assert LOSSES["cross_entropy"](z, torch.tensor([k])).item() == pytest.approx(
            expected, abs=5e-6
        )
