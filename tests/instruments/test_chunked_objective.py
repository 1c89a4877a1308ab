"""A sum in chunks is the same function, and holds one chunk."""

import weakref

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import hessian_product, network_objective
from gradatim.instruments.chunked_objective import sum_in_chunks
from gradatim.losses import cross_entropy, mse
from gradatim.models import MLP, LeNet
from gradatim.theory import hessian_eigenvalues, hessian_trace, loss_surface, sharpness


class Watched(nn.Module):
    """A network that notes how many rows came at once, and what of them is still held."""

    def __init__(self, model):
        super().__init__()
        self.model, self.rows, self.held = model, [], []

    def forward(self, x):
        self.rows.append(len(x))
        hidden = self.model[:2](x)
        self.held.append(weakref.ref(hidden))
        return self.model[2:](hidden)


def objectives(chunk_size, loss=cross_entropy):
    torch.manual_seed(0)
    model = MLP((3, 6, 4), activation="tanh").double()
    X, y = torch.randn(23, 3).double(), torch.randint(4, (23,))
    target = y if loss is cross_entropy else nn.functional.one_hot(y, 4).double()
    whole, theta = network_objective(model, loss, X, target)
    return whole, network_objective(model, loss, X, target, chunk_size=chunk_size)[0], theta


@pytest.mark.parametrize("loss", [cross_entropy, mse])
@pytest.mark.parametrize("chunk_size", [1, 5, 23, 100])
def test_value_gradient_and_hessian_are_those_of_all_rows(chunk_size, loss):
    whole, chunked, theta = objectives(chunk_size, loss)
    torch.testing.assert_close(chunked(theta), whole(theta))
    jacobian, hessian = torch.autograd.functional.jacobian, torch.autograd.functional.hessian
    torch.testing.assert_close(jacobian(chunked, theta), jacobian(whole, theta))
    torch.testing.assert_close(hessian(chunked, theta), hessian(whole, theta))


def test_two_derivatives_agree_with_finite_differences():
    _, chunked, theta = objectives(7)
    point = theta.clone().requires_grad_()
    assert torch.autograd.gradcheck(chunked, point)
    assert torch.autograd.gradgradcheck(chunked, point)


def test_the_instruments_of_the_landscape_see_no_difference():
    whole, chunked, theta = objectives(4)
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(2, len(theta), generator=generator).double()
    for look in (
        lambda h: hessian_eigenvalues(h, theta, count=2, tol=1e-10),
        lambda h: torch.tensor(hessian_trace(h, theta, samples=4)),
        lambda h: loss_surface(h, theta, first, second, resolution=3).values,
        lambda h: torch.tensor(sharpness(h, theta)),
    ):
        torch.testing.assert_close(look(chunked), look(whole))


@pytest.mark.parametrize(("chunk_size", "most"), [(None, 23), (5, 5)])
def test_one_chunk_is_computed_at_a_time_and_none_is_held(chunk_size, most):
    """The graph of all rows stays until the last product; that of chunks does not."""
    watched = Watched(MLP((3, 6, 4)))
    X, y = torch.randn(23, 3), torch.randint(4, (23,))
    h, theta = network_objective(watched, cross_entropy, X, y, chunk_size=chunk_size)
    product = hessian_product(h, theta)
    product(torch.ones_like(theta))
    assert max(watched.rows) == most
    is_held = any(held() is not None for held in watched.held)
    assert is_held == (chunk_size is None)


def test_images_and_convolutions():
    torch.manual_seed(0)
    model = LeNet().double()
    X, y = torch.randn(5, 1, 28, 28).double(), torch.randint(10, (5,))
    v = torch.randn(sum(p.numel() for p in model.parameters())).double()
    found = []
    for size in (None, 2):
        h, theta = network_objective(model, cross_entropy, X, y, chunk_size=size)
        found.append(hessian_product(h, theta)(v))
    torch.testing.assert_close(*found)


def test_parts_that_are_linear_have_no_curvature():
    h = sum_in_chunks([lambda w: w.sum(), lambda w: w.square().sum()], [5.0, 2.0])
    point = torch.tensor([1.0, -1.0])
    assert h(point).item() == 4.0
    assert hessian_product(h, point)(torch.tensor([1.0, 3.0])).tolist() == [4.0, 12.0]


def test_a_chunk_has_a_row():
    with pytest.raises(InvalidValue, match="network_objective: chunk_size must be a whole number"):
        network_objective(nn.Linear(1, 1), mse, torch.ones(2, 1), torch.ones(2), chunk_size=0)
