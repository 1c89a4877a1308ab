"""Whole weights are repeated rows: in every loss, and in its gradient."""

import pytest
import torch

from gradatim.errors import InvalidValue
from gradatim.losses import LOSSES, sse
from gradatim.losses.weighted import row_losses, weighted_loss

WEIGHT = torch.tensor([1.0, 0.0, 3.0, 2.0, 1.0], dtype=torch.float64)


def case(name, seed=0):
    generator = torch.Generator().manual_seed(seed)
    classes = name in ("cross_entropy", "focal", "smoothed_cross_entropy", "perceptron")
    z = torch.randn(5, 3, generator=generator, dtype=torch.float64)
    if name == "perceptron":
        z = z[:, 0]
    if name in ("bce", "perceptron"):
        return z, torch.randint(2, z.shape, generator=generator).double()
    if classes:
        return z, torch.randint(3, (5,), generator=generator)
    return z, torch.randn(5, 3, generator=generator, dtype=torch.float64)


@pytest.mark.parametrize("name", LOSSES)
def test_whole_weights_are_repeated_rows(name):
    loss, (z, y) = LOSSES[name], case(name)
    z.requires_grad_()
    rows = torch.repeat_interleave(torch.arange(5), WEIGHT.long())
    weight = WEIGHT if loss is sse else WEIGHT / WEIGHT.mean()
    own, again = weighted_loss(loss, z, y, weight), loss(z[rows], y[rows])
    torch.testing.assert_close(own, again)
    torch.testing.assert_close(*(torch.autograd.grad(value, z)[0] for value in (own, again)))


@pytest.mark.parametrize("name", LOSSES)
def test_equal_weights_change_nothing(name):
    loss, (z, y) = LOSSES[name], case(name, seed=1)
    torch.testing.assert_close(weighted_loss(loss, z, y, torch.ones(5)), loss(z, y))


def test_a_loss_of_ones_own_is_mapped_over_rows_or_refused():
    z, y = case("mse")
    quartic = row_losses(lambda f, t: ((f - t) ** 4).mean(), z, y)
    torch.testing.assert_close(quartic, ((z - y) ** 4).mean(1))
    with pytest.raises(InvalidValue, match="must be computed row by row where rows weigh"):
        row_losses(lambda f, t: f[t > 0].mean(), z, y)
