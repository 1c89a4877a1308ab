"""Losses by name against their formulas."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradatim.errors import GradatimError
from gradatim.losses import LOSSES, build_loss, huber


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
        if name in ("cross_entropy", "perceptron", "smoothed_cross_entropy", "focal")
        else torch.rand(4, 3, dtype=torch.float64)
    )
    assert torch.autograd.gradcheck(lambda z: LOSSES[name](z, y), z)


def test_finite_for_huge_logits():
    z = torch.tensor([[1e30, -1e30]])
    assert LOSSES["cross_entropy"](z, torch.tensor([0])) == 0
    assert torch.isfinite(LOSSES["bce"](z, torch.tensor([[0.0, 1.0]])))


@pytest.mark.parametrize("delta", [0.1, 1.0, 2.5])
def test_huber_in_a_slow_loop(delta):
    f, y = torch.linspace(-4, 4, 17, dtype=torch.float64), torch.zeros(17, dtype=torch.float64)
    expected = [
        e * e / 2 if abs(e) <= delta else delta * (abs(e) - delta / 2) for e in (f - y).tolist()
    ]
    assert huber(f, y, delta).item() == pytest.approx(sum(expected) / 17)
    assert huber(f[:, None], y, delta).item() == pytest.approx(sum(expected) / 17)


@given(
    rows=st.integers(1, 4),
    steps=st.integers(1, 5),
    classes=st.integers(2, 6),
    seed=st.integers(0, 99),
)
def test_cross_entropy_of_places_in_either_order(rows, steps, classes, seed):
    generator = torch.Generator().manual_seed(seed)
    z = torch.randn(rows, steps, classes, generator=generator, dtype=torch.float64)
    y = torch.randint(classes, (rows, steps), generator=generator)
    y[0, 0] = -100
    if rows * steps == 1:
        y[0, 0] = 0
    if steps == classes:
        for output in (z, z.mT):
            with pytest.raises(GradatimError, match="which axis holds the classes"):
                LOSSES["cross_entropy"](output, y)
        return
    log_p = z.log_softmax(-1)
    terms = [
        -log_p[b, t, y[b, t]].item() for b in range(rows) for t in range(steps) if y[b, t] >= 0
    ]
    expected = sum(terms) / len(terms)
    assert LOSSES["cross_entropy"](z, y).item() == pytest.approx(expected)
    assert LOSSES["cross_entropy"](z.mT, y).item() == pytest.approx(expected)


def test_places_that_are_all_padding_cost_nothing():
    z = torch.randn(2, 3, 4, requires_grad=True)
    loss = LOSSES["cross_entropy"](z, torch.full((2, 3), -100))
    loss.backward()
    assert loss.item() == 0
    assert not z.grad.any()


@pytest.mark.parametrize("name", ["cross_entropy", "smoothed_cross_entropy"])
@pytest.mark.parametrize("target", [torch.zeros(5).long(), torch.linspace(-1, 1, 5)[:, None]])
def test_a_loss_that_cannot_see_the_model_is_refused(name, target):
    with pytest.raises(GradatimError, match="at least 2 classes, got 1, whose loss is 0 whatever"):
        LOSSES[name](torch.randn(5, 1), target)


def test_axes_in_another_order_are_refused():
    with pytest.raises(GradatimError, match="its axes in the order of the output"):
        LOSSES["mse"](torch.zeros(2, 3, 4), torch.zeros(2, 4, 3))
    image = torch.randn(2, 1, 3, 4)
    assert LOSSES["mse"](image.flatten(1), image) == 0
    assert LOSSES["mse"](image.mT.reshape(2, 4, 1, 3), image.mT.squeeze(1)) == 0


def test_errors():
    with pytest.raises(GradatimError, match="huber: delta must be more than 0, got 0"):
        huber(torch.zeros(2), torch.zeros(2), 0.0)
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
