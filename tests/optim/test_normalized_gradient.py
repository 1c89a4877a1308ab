"""Steps of one length, whatever the gradient."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from gradatim.optim import NormalizedGradient


def test_three_steps_by_hand(scalar):
    run = scalar(lambda p: NormalizedGradient(p, lr=0.4), 1.0, lambda w: 2 * w**2)
    assert run.run(3) == pytest.approx([0.6, 0.2, -0.2])


@settings(max_examples=30, deadline=None)
@given(
    gradient=st.lists(st.floats(-1e3, 1e3), min_size=3, max_size=3).filter(
        lambda g: max(map(abs, g)) > 1e-3
    ),
    scale=st.floats(1e-3, 1e3),
)
def test_length_is_lr_over_all_groups_and_scale_does_not_matter(gradient, scale):
    moved = []
    for factor in (1.0, scale):
        a = torch.zeros(2, dtype=torch.float64, requires_grad=True)
        b = torch.zeros(1, dtype=torch.float64, requires_grad=True)
        optimizer = NormalizedGradient([{"params": [a]}, {"params": [b]}], lr=0.5)
        whole = torch.tensor(gradient, dtype=torch.float64) * factor
        a.grad, b.grad = whole[:2], whole[2:]
        optimizer.step()
        moved.append(torch.cat([a, b]).detach())
    assert moved[0].norm().item() == pytest.approx(0.5)
    torch.testing.assert_close(moved[0], moved[1])


def test_zero_gradient_moves_nothing():
    w = torch.ones(3, requires_grad=True)
    w.grad = torch.zeros(3)
    NormalizedGradient([w], lr=1.0).step()
    assert torch.equal(w, torch.ones(3))


def test_weight_decay_is_part_of_the_direction():
    w = torch.tensor([3.0, 0.0], requires_grad=True)
    w.grad = torch.tensor([0.0, 4.0])
    NormalizedGradient([w], lr=1.0, weight_decay=1.0).step()
    torch.testing.assert_close(w.detach(), torch.tensor([3 - 0.6, -0.8]))
