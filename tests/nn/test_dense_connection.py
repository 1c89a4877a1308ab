import torch
from torch import nn

from gradatim.nn.dense_connection import DenseConnection


def test_hands_on_the_input_and_the_output():
    layer, x = nn.Linear(3, 2), torch.randn(5, 3)
    out = DenseConnection(layer)(x)
    torch.testing.assert_close(out[:, :3], x)
    torch.testing.assert_close(out[:, 3:], layer(x))


def test_joins_channels_of_images():
    out = DenseConnection(nn.Conv2d(3, 4, 3, padding=1))(torch.randn(2, 3, 6, 6))
    assert out.shape == (2, 7, 6, 6)


def test_gradient():
    x = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(DenseConnection(nn.Linear(3, 2).double()), (x,))
