"""Adam by hand in both forms, PyTorch's trajectory, and first steps of tiny gradients."""

import math

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.optim import Adam


@pytest.mark.parametrize("eps_inside", [False, True])
def test_three_steps_by_hand(scalar, eps_inside):
    """h = 2w², g = 4w, a large ε so that its place matters."""
    m, v, w, expected = 0.0, 0.0, 1.0, []
    for t in (1, 2, 3):
        g = 4 * w
        m, v = 0.8 * m + 0.2 * g, 0.95 * v + 0.05 * g * g
        mean, square = m / (1 - 0.8**t), v / (1 - 0.95**t)
        w -= 0.1 * mean / (math.sqrt(square + 0.3) if eps_inside else math.sqrt(square) + 0.3)
        expected.append(w)

    def build(p):
        return Adam(p, lr=0.1, betas=(0.8, 0.95), eps=0.3, eps_inside=eps_inside)

    assert scalar(build, 1.0, lambda w: 2 * w**2).run(3) == pytest.approx(expected, rel=1e-14)


def test_equals_pytorch_with_eps_outside(scalar):
    def objective(w):
        return torch.cos(w) + 0.1 * w**2

    ours = scalar(lambda p: Adam(p, lr=0.05, weight_decay=0.1), 2.0, objective)
    theirs = scalar(lambda p: torch.optim.Adam(p, lr=0.05, weight_decay=0.1), 2.0, objective)
    assert ours.run(40) == pytest.approx(theirs.run(40), rel=1e-12)


@pytest.mark.parametrize(
    ("gradient", "inside", "outside"),
    [(0.1, 1.0000e-3, 1.0000e-3), (1e-4, 7.0711e-4, 9.9990e-4), (1e-6, 9.9995e-6, 9.9010e-4)],
)
def test_first_step_of_a_tiny_gradient(scalar, gradient, inside, outside):
    """η g/√(g² + 1e-8) and η |g|/(|g| + 1e-8), worked out by hand to five digits."""
    for eps_inside, expected in ((True, inside), (False, outside)):

        def build(p, eps_inside=eps_inside):
            return Adam(p, lr=1e-3, eps_inside=eps_inside)

        (w,) = scalar(build, 0.0, lambda w: gradient * w).run(1)
        assert -w == pytest.approx(expected, rel=1e-4)


def test_a_parameter_that_joins_late_has_its_own_bias_correction():
    early, late = (torch.zeros(1, dtype=torch.float64, requires_grad=True) for _ in range(2))
    optimizer = Adam([early, late], lr=0.1)
    for t in range(5):
        early.grad = torch.ones_like(early)
        late.grad = torch.ones_like(late) if t == 4 else None
        optimizer.step()
    assert late.item() == pytest.approx(-0.1, rel=1e-6)
    assert early.item() == pytest.approx(-0.5, rel=1e-6)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"betas": (0.9, 1.0)}, r"Adam: betas must be two numbers in \[0, 1\), got \(0\.9, 1\.0\)"),
        ({"betas": (0.9,)}, "Adam: betas must be two numbers"),
        ({"eps": -1.0}, r"Adam: eps must be more than 0, got -1\.0"),
    ],
)
def test_refuses(settings, message):
    with pytest.raises(InvalidValue, match=message):
        Adam([torch.zeros(1)], **settings)


def test_without_bias_correction_the_first_step_is_three_times_as_long(scalar):
    """m = 0.1 g and v = 0.001 g²: a first step of 0.1/√0.001 η, whatever the gradient."""
    for gradient in (1e-3, 7.0):

        def build(p):
            return Adam(p, lr=1e-3, eps=1e-30, bias_correction=False)

        (w,) = scalar(build, 0.0, lambda w, g=gradient: g * w).run(1)
        assert -w == pytest.approx(1e-3 * 0.1 / math.sqrt(1e-3), rel=1e-9)
