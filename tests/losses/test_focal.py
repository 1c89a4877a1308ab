"""Focal loss: by its formula, its limit, its gradient, and the mistakes it refuses."""

from functools import partial

import pytest
import torch
import torch.nn.functional as F

from gradatim.errors import InvalidValue
from gradatim.losses import LOSSES, bce, cross_entropy, focal


def logits(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_the_equation_by_a_loop():
    z, y = logits(6, 3), torch.tensor([0, 2, 1, 1, 0, 2])
    total = 0.0
    for row, label in zip(z, y, strict=True):
        p = float(row.exp()[label] / row.exp().sum())
        total -= (1 - p) ** 1.5 * float(torch.tensor(p).log())
    assert float(focal(z, y, gamma=1.5)) == pytest.approx(total / 6, rel=1e-6)


@pytest.mark.parametrize("shape", [(7, 4), (5, 3, 4)])
def test_gamma_zero_is_cross_entropy(shape):
    z = logits(*shape).requires_grad_()
    y = torch.randint(4, shape[:-1], generator=torch.Generator().manual_seed(1))
    y.view(-1)[0] = -100
    own, other = focal(z, y, gamma=0.0), cross_entropy(z, y)
    torch.testing.assert_close(own, other)
    gradients = [torch.autograd.grad(loss, z)[0] for loss in (own, other)]
    torch.testing.assert_close(*gradients)


def test_one_logit_is_that_of_the_second_class():
    z, y = logits(9), torch.randint(2, (9,), generator=torch.Generator().manual_seed(2)).double()
    torch.testing.assert_close(focal(z, y, gamma=0.0), bce(z, y))
    two = torch.stack([torch.zeros_like(z), z], 1)
    torch.testing.assert_close(focal(z[:, None], y), focal(two, y.long()))


def test_easy_rows_count_less_and_a_sure_one_nothing():
    y = torch.tensor([0])
    sure, doubtful = torch.tensor([[4.0, 0.0]]), torch.tensor([[0.2, 0.0]])
    ratio = [float(focal(z, y) / F.cross_entropy(z, y)) for z in (sure, doubtful)]
    assert ratio[0] < 0.001 < 0.1 < ratio[1]
    certain = torch.tensor([[800.0, 0.0]], requires_grad=True)
    for gamma in (0.0, 0.5, 2.0):
        loss = focal(certain, y, gamma=gamma)
        assert float(loss.detach()) == 0.0
        assert torch.autograd.grad(loss, certain)[0].isfinite().all()


@pytest.mark.parametrize("gamma", [0.0, 1.0, 2.0])
def test_gradient(gamma):
    z, y = logits(4, 3).requires_grad_(), torch.tensor([0, 1, 2, 1])
    assert torch.autograd.gradcheck(lambda own: focal(own, y, gamma=gamma), z)


def test_it_has_a_name_and_refuses_what_is_wrong():
    assert LOSSES["focal"] is focal
    with pytest.raises(InvalidValue, match="focal: gamma must be 0 or more, got -1"):
        partial(focal, gamma=-1.0)(logits(2, 2), torch.tensor([0, 1]))
