import re

import pytest
import torch

from gradatim.models.image_input import check_images, count_patches


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        ((2, 28, 28), None, "(B, 1, H, W), got (2, 28, 28)"),
        ((2, 3, 28, 28), None, "(B, 1, H, W), got (2, 3, 28, 28)"),
        ((2, 1, 28, 32), 28, "(B, 1, 28, 28), got (2, 1, 28, 32)"),
    ],
)
def test_refuses_by_message(shape, size, expected):
    message = (
        f"Net: x must have shape {expected}. Reshape the images, or build the model for theirs."
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        check_images("Net", torch.zeros(shape), 1, size)


def test_any_size_where_none_is_asked_for():
    check_images("Net", torch.zeros(2, 1, 5, 7), 1)


def test_patches_tile_the_image():
    assert count_patches("Net", 8, 2) == 16
    message = "Net: patch_size must divide image_size=8, got 0. Try one of [1, 2, 4, 8]."
    with pytest.raises(ValueError, match=re.escape(message)):
        count_patches("Net", 8, 0)
