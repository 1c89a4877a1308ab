"""Gradients of single samples by a loop, and the exact variance of batches by enumeration."""

import itertools

import pytest
import torch
from torch import nn

from gradatim.errors import InvalidValue
from gradatim.instruments import batch_gradients, sample_gradients
from gradatim.losses import cross_entropy
from gradatim.models import MLP


def test_rows_are_the_gradients_of_single_samples():
    model = MLP((3, 4, 2)).double()
    X, y = torch.randn(7, 3).double(), torch.randint(2, (7,))
    found = sample_gradients(model, cross_entropy, X, y, chunk_size=3)
    assert found.shape == (7, sum(p.numel() for p in model.parameters()))
    for row, x, target in zip(found, X, y, strict=True):
        loss = cross_entropy(model(x[None]), target[None])
        expected = torch.autograd.grad(loss, list(model.parameters()))
        torch.testing.assert_close(row, torch.cat([g.flatten() for g in expected]))
    full = torch.autograd.grad(cross_entropy(model(X), y), list(model.parameters()))
    torch.testing.assert_close(found.mean(0), torch.cat([g.flatten() for g in full]))


@pytest.mark.parametrize("replacement", [True, False])
def test_mean_and_variance_of_batches(replacement):
    """Five samples, batches of two: all of them can be listed."""
    gradients = torch.tensor([[1.0, 0], [0, 2], [3, 1], [-1, 4], [2, -2]], dtype=torch.float64)
    full = gradients.mean(0)
    pairs = (
        itertools.product(range(5), repeat=2)
        if replacement
        else itertools.permutations(range(5), 2)
    )
    listed = torch.stack([gradients[list(pair)].mean(0) for pair in pairs])
    exact = (listed - full).square().sum(1).mean().item()
    spread = (gradients - full).square().sum(1).mean().item()
    assert exact == pytest.approx(spread / 2 * (1 if replacement else 3 / 4))
    source = torch.Generator().manual_seed(0)
    drawn = batch_gradients(gradients, 2, draws=20_000, replacement=replacement, generator=source)
    assert (drawn - full).square().sum(1).mean().item() == pytest.approx(exact, rel=0.03)
    torch.testing.assert_close(drawn.mean(0), full, atol=0.04, rtol=0)
    for row in drawn[:20]:
        assert (row - listed).abs().sum(1).min() < 1e-12


def test_equal_generators_give_equal_batches():
    gradients = torch.randn(9, 2)
    first, second = (
        batch_gradients(gradients, 3, draws=4, generator=torch.Generator().manual_seed(1))
        for _ in range(2)
    )
    assert torch.equal(first, second)


def test_a_batch_of_all_is_the_full_gradient():
    gradients = torch.randn(9, 2, dtype=torch.float64)
    torch.testing.assert_close(
        batch_gradients(gradients, 9, draws=3), gradients.mean(0).expand(3, 2)
    )


@pytest.mark.parametrize("size", [0, 10])
def test_refuses(size):
    with pytest.raises(InvalidValue, match=f"size must be from 1 to the 9 samples, got {size}"):
        batch_gradients(torch.zeros(9, 2), size, draws=1)
    if size:
        assert batch_gradients(torch.zeros(9, 2), size, draws=1, replacement=True).shape == (1, 2)


def test_frozen_parameters_stay_out():
    model = nn.Linear(2, 3)
    model.bias.requires_grad_(False)
    found = sample_gradients(model, cross_entropy, torch.randn(4, 2), torch.zeros(4).long())
    assert found.shape == (4, 6)
