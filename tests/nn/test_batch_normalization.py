"""Batch normalization: worked numbers, PyTorch, and the laws it follows from."""

import pytest
import torch
from torch import nn

from gradatim.nn.batch_normalization import (
    RunningMoments,
    batch_moments,
    batch_normalize,
    update_running,
)

GENERATOR = torch.Generator().manual_seed(0)


def test_worked_example():
    """μ = 2, σ = 3, γ = 3, β = 2 give back z, exactly without ε."""
    z = torch.tensor([[-1.0], [0.0], [2.0], [7.5]])
    two, three = torch.tensor([2.0]), torch.tensor([3.0])
    assert torch.equal(batch_normalize(z, two, three**2, gain=three, shift=two, eps=0.0), z)


@pytest.mark.parametrize("shape", [(16, 3), (4, 3, 5, 2)])
def test_training_and_inference_equal_pytorch(shape):
    layer = (nn.BatchNorm1d if len(shape) == 2 else nn.BatchNorm2d)(3).double()
    layer.weight.data = torch.tensor([2.0, -1.0, 0.5], dtype=torch.float64)
    layer.bias.data = torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    gain, shift = layer.weight.detach(), layer.bias.detach()
    running = RunningMoments(torch.zeros(3).double(), torch.ones(3).double())
    for _ in range(3):
        z = 2 * torch.randn(shape, generator=GENERATOR, dtype=torch.float64) + 1
        batch = batch_moments(z)
        ours = batch_normalize(z, batch.mean, batch.variance, gain, shift)
        torch.testing.assert_close(ours, layer(z).detach())
        running = update_running(running, batch)
    torch.testing.assert_close(running.mean, layer.running_mean)
    torch.testing.assert_close(running.variance, layer.running_var)
    layer.eval()
    torch.testing.assert_close(batch_normalize(z, *running, gain, shift), layer(z).detach())


def test_running_variance_differs_by_the_correction():
    batch = batch_moments(torch.randn(5, 2, generator=GENERATOR))
    start = RunningMoments(torch.zeros(2), torch.zeros(2))
    written = update_running(start, batch, unbiased=False)
    pytorch = update_running(start, batch)
    torch.testing.assert_close(written.variance, 0.1 * batch.variance)
    torch.testing.assert_close(pytorch.variance, written.variance * 5 / 4)


def one(z, eps=1e-5):
    batch = batch_moments(z)
    ones = torch.ones(z.shape[1], dtype=z.dtype)
    return batch_normalize(z, batch.mean, batch.variance, ones, 0 * ones, eps)


def test_laws():
    z = 3 * torch.randn(50, 4, generator=GENERATOR, dtype=torch.float64)
    torch.testing.assert_close(one(z + 7.0), one(z))  # a bias before is cancelled
    torch.testing.assert_close(one(5 * z, eps=0.0), one(z, eps=0.0))  # and so is a scale
    variance = z.var(0, correction=0)
    torch.testing.assert_close(one(z, 0.5).var(0, correction=0), variance / (variance + 0.5))
    single = batch_normalize(
        z[:1], z[0], torch.zeros(4).double(), torch.ones(4), torch.full((4,), 9.0)
    )
    torch.testing.assert_close(single, torch.full((1, 4), 9.0).double())  # m = 1 gives β


def test_gradcheck():
    z = torch.randn(5, 2, generator=GENERATOR, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(one, z)
