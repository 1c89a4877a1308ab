"""FGSM against finite differences, its optimality on linear losses, and its limits."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.robust import fgsm


def test_moves_every_input_up_the_loss_by_finite_differences(network, samples):
    x, y = samples
    moved = fgsm(network, x, y, eps=0.01) - x
    network.eval()
    step = 1e-6
    for i in range(len(x)):
        for j in range(x.shape[1]):
            sides = []
            for sign in (1, -1):
                shifted = x[i : i + 1].clone()
                shifted[0, j] += sign * step
                sides.append(F.cross_entropy(network(shifted), y[i : i + 1]).item())
            expected = 0.01 if sides[0] > sides[1] else -0.01
            assert moved[i, j].item() == pytest.approx(expected)


def test_no_corner_of_the_cube_is_worse_for_an_affine_classifier():
    generator = torch.Generator().manual_seed(0)
    model = nn.Linear(5, 2).double()
    x, y = torch.randn(4, 5, dtype=torch.float64, generator=generator), torch.tensor([0, 1, 0, 1])
    with torch.no_grad():
        found = F.cross_entropy(model(fgsm(model, x, y, eps=0.3)), y, reduction="none")
        corners = 0.3 * torch.cartesian_prod(*[torch.tensor([-1.0, 1.0]).double()] * 5)
        worst = torch.stack(
            [F.cross_entropy(model(x + corner), y, reduction="none") for corner in corners]
        )
    torch.testing.assert_close(found, worst.max(0).values)


def test_bounds_and_no_budget(network, samples):
    x, y = samples
    moved = fgsm(network, x, y, eps=0.9, bounds=(0.0, 1.0))
    assert (moved.min(), moved.max()) == (0, 1)
    assert torch.equal(fgsm(network, x, y, eps=0.0), x)


def test_one_logit_is_pushed_to_the_other_side():
    model = nn.Sequential(nn.Linear(2, 1), nn.Flatten(0))
    model[0].weight.data, model[0].bias.data = torch.tensor([[1.0, -1.0]]), torch.zeros(1)
    x = torch.zeros(2, 2)
    expected = torch.tensor([[0.5, -0.5], [-0.5, 0.5]])
    assert torch.equal(fgsm(model, x, torch.tensor([0, 1]), eps=0.5), expected)
    # targets as Trainer hands them on for binary cross-entropy
    assert torch.equal(fgsm(model[0], x, torch.tensor([[0.0], [1.0]]), eps=0.5), expected)


def test_refuses(network, samples):
    x, y = samples
    with pytest.raises(InvalidValue, match=r"^fgsm: eps must be finite and at least 0, got -1"):
        fgsm(network, x, y, eps=-1)
    with pytest.raises(InvalidValue, match=r"^fgsm: y must have one class per sample of x, got"):
        fgsm(network, x, y[:3], eps=0.1)
    with pytest.raises(InvalidValue, match=r"^fgsm: y must hold class indices 0, 1, …, got other"):
        fgsm(network, x, y + 0.5, eps=0.1)
    with pytest.raises(InvalidValue, match=r"^fgsm: y must hold class indices"):
        fgsm(network, x, y - 5, eps=0.1)


def test_targeted_goes_down_the_loss_of_the_wanted_class():
    generator = torch.Generator().manual_seed(0)
    model = nn.Linear(5, 3)
    x, wanted = torch.randn(6, 5, generator=generator), torch.tensor([0, 1, 2, 0, 1, 2])
    z = x.clone().requires_grad_()
    loss = nn.functional.cross_entropy(model(z), wanted, reduction="sum")
    expected = x - 0.1 * torch.autograd.grad(loss, z)[0].sign()
    found = fgsm(model, x, wanted, eps=0.1, targeted=True)
    torch.testing.assert_close(found, expected)
    after = nn.functional.cross_entropy(model(found), wanted, reduction="sum")
    assert after < loss
