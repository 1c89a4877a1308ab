import re

import pytest
import torch
import torch.nn.functional as F

from gradatim.models import FastCNN, whitening_filters


def patterned(rows=60):
    """Images whose neighbouring pixels and colours are alike."""
    generator = torch.Generator().manual_seed(0)
    rough = torch.rand(rows, 1, 12, 12, generator=generator, dtype=torch.float64)
    return F.avg_pool2d(rough, 3, stride=1) + 0.1 * torch.rand(
        rows, 3, 10, 10, generator=generator, dtype=torch.float64
    )


def test_whitened_patches_are_centred_and_uncorrelated():
    images = patterned()
    weights, biases = whitening_filters(images, eps=0.0)
    features = F.conv2d(images, weights, biases)[:, :12]  # the other half are the negatives
    rows = features.movedim(1, 3).reshape(-1, 12)
    torch.testing.assert_close(rows.mean(0), torch.zeros(12).double(), rtol=0, atol=1e-9)
    torch.testing.assert_close(torch.cov(rows.T), torch.eye(12).double(), rtol=0, atol=1e-9)


def test_both_signs_and_the_strongest_direction_first():
    weights, biases = whitening_filters(patterned())
    assert torch.equal(weights[:12], -weights[12:])
    assert torch.equal(biases[:12], -biases[12:])
    norms = weights[:12].flatten(1).norm(dim=1)  # small filters for directions of large variance
    assert torch.equal(norms, norms.sort().values)


def test_eps_keeps_dead_directions_quiet():
    weights, _ = whitening_filters(torch.ones(10, 1, 8, 8), eps=1e-4)
    assert weights.flatten(1).norm(dim=1).max() <= 100.001


def test_convolutions_start_as_a_partial_identity():
    model = FastCNN(10, in_channels=1, widths=(12, 20))
    convolution = model.get_submodule("block1.0")  # 8 channels to 12
    x = torch.randn(2, 8, 6, 6)
    torch.testing.assert_close(convolution(x)[:, :8], x)


def test_whiten_sets_and_freezes_the_first_layer():
    model = FastCNN(10, widths=(8,))
    images = patterned().float()
    model.whiten(images)
    weights, biases = whitening_filters(images)
    layer = model.get_submodule("whitening")
    assert torch.equal(layer.weight, weights)
    assert torch.equal(layer.bias, biases)
    model(images).sum().backward()
    assert layer.weight.grad is None
    assert layer.bias.grad is None


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (
            lambda: FastCNN(widths=()),
            "FastCNN: widths must be positive, got (). Try (64, 256, 256).",
        ),
        (
            lambda: FastCNN(widths=(4,)).whiten(torch.zeros(2, 1, 8, 8)),
            "FastCNN.whiten: x must have shape (B, 3,",
        ),
    ],
)
def test_refuses_by_message(action, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        action()
