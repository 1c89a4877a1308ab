"""Chains name their links, in order, and look at what they are given."""

import re

import pytest
import torch
from torch import nn

from gradatim.models.chains import ImageChain, RowChain


class Rows(RowChain):
    pass


class Images(ImageChain):
    def __init__(self, *layers, image_size=None):
        super().__init__(*layers)
        self.in_channels, self.image_size = 2, image_size


def test_rows_are_flat_whatever_the_shape_of_a_sample():
    chain, x = Rows(nn.Linear(6, 4), nn.Tanh()), torch.randn(5, 2, 3)
    expected = torch.tanh(x.reshape(5, 6) @ chain[0].weight.T + chain[0].bias)
    torch.testing.assert_close(chain(x), expected)


@pytest.mark.parametrize(
    ("chain", "shape"),
    [
        (Rows(nn.Linear(6, 4), nn.Tanh()), (5, 2, 3)),
        (Images(nn.Conv2d(2, 3, 1), nn.ReLU()), (5, 2, 4, 4)),
    ],
)
def test_the_links_one_after_the_other_are_the_chain(chain, shape):
    x = torch.randn(shape)
    y = x
    for _, link in chain.stages():
        y = link(y)
    assert torch.equal(y, chain(x))


def test_images_are_checked_under_the_name_of_the_model():
    message = "Images: x must have shape (B, 2, H, W), got (5, 3, 4, 4)."
    with pytest.raises(ValueError, match=re.escape(message)):
        Images(nn.Identity())(torch.zeros(5, 3, 4, 4))
    message = "Images: x must have shape (B, 2, 8, 8), got (5, 2, 4, 4)."
    with pytest.raises(ValueError, match=re.escape(message)):
        Images(nn.Identity(), image_size=8)(torch.zeros(5, 2, 4, 4))
