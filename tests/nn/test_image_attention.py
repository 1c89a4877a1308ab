"""Self-attention on maps: that of a Transformer on their places, blind to where these are."""

import torch
import torch.nn.functional as F

from gradatim.nn import ImageSelfAttention


def test_it_is_the_attention_of_pytorch_on_the_places():
    torch.manual_seed(0)
    layer = ImageSelfAttention(4, num_heads=2).double()
    x = torch.randn(3, 4, 2, 5, dtype=torch.float64)
    t = torch.stack([x[:, :, i, j] for i in range(2) for j in range(5)], 1)  # (B, HW, C)
    t = F.layer_norm(t, (4,))
    own = layer.attention
    expected, _ = F.multi_head_attention_forward(
        *[t.transpose(0, 1)] * 3, 4, 2, own.project.weight, own.project.bias, None, None, False, 0.0,
        own.merge.weight, own.merge.bias,
    )  # fmt: skip
    for k in range(10):
        i, j = divmod(k, 5)
        torch.testing.assert_close(layer(x)[:, :, i, j], x[:, :, i, j] + expected[k])


def test_places_in_another_order_give_the_same_in_that_order():
    layer, x = ImageSelfAttention(4), torch.randn(2, 4, 3, 3)
    order = torch.randperm(9)
    mixed = x.flatten(2)[:, :, order].unflatten(2, (3, 3))
    found = layer(x).flatten(2)[:, :, order].unflatten(2, (3, 3))
    torch.testing.assert_close(layer(mixed), found)


def test_one_layer_sees_all_of_the_image():
    layer = ImageSelfAttention(4)
    x = torch.randn(1, 4, 6, 6, requires_grad=True)
    layer(x)[0, :, 0, 0].sum().backward()
    assert (x.grad.abs().sum(1) > 0).all()


def test_the_gradient():
    layer = ImageSelfAttention(2).double()
    x = torch.randn(2, 2, 2, 2, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(layer, (x,))
