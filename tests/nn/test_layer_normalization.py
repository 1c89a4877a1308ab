"""Layer normalization against PyTorch, and its invariances."""

import torch
from torch import nn

from gradatim.nn.layer_normalization import layer_norm

X = torch.randn(4, 3, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_equals_pytorch():
    layer = nn.LayerNorm(6).double()
    nn.init.normal_(layer.weight)
    nn.init.normal_(layer.bias)
    torch.testing.assert_close(layer_norm(X, layer.weight, layer.bias), layer(X))


def test_ignores_scale_and_shift_of_a_sample_and_its_batch_mates():
    torch.testing.assert_close(layer_norm(5 * X + 3, eps=0.0), layer_norm(X, eps=0.0))
    torch.testing.assert_close(layer_norm(X)[1:2], layer_norm(X[1:2]))


def test_gradcheck():
    assert torch.autograd.gradcheck(layer_norm, X[0].clone().requires_grad_())
